import {
  checkKeys,
  type Fields,
  integer,
  list,
  object,
  plainObject,
  refuse,
  text,
} from "@sluice/agent/extend";
import type { FleetServerOptions } from "./types.ts";
import { fleetName, refuseSecret } from "./check.ts";
import { LANES } from "./engine.ts";
import { streamsOf } from "./nats_streams.ts";

const LISTEN_HERE = "127.0.0.1:4222";
const LISTEN_ALL = "0.0.0.0:4222";

const OPTIONS: Fields<FleetServerOptions> = {
  fleets(value, key) {
    if (!Array.isArray(value) || value.length === 0) {
      refuseSecret(key, "a list of one fleet or more");
    }
    list(object<FleetServerOptions["fleets"][number]>({
      name: fleetName,
      password(value, key) {
        if (value === "") refuseSecret(key, "a non-empty string");
        plain(value, key);
      },
      maxBytes: integer({ min: 1 }),
    }, ["name", "password"]))(value, key);
  },
  storeDir: plain,
  listen: plain,
  tls: object<NonNullable<FleetServerOptions["tls"]>>(
    { certFile: plain, keyFile: plain, caFile: plain },
    ["certFile", "keyFile"],
  ),
};

/**
 * Creates the configuration of a NATS server on which every fleet has an account of its own, so that no fleet reaches
 * another.
 *
 * Rights inside one account cannot separate fleets: a server publishes its answers wherever a request asks for them. The
 * user of a fleet has the name of the fleet. The text holds the passwords: protect the file.
 *
 * @param options Fleets with their passwords, where to store, TLS
 * @returns Text of a `nats-server` configuration file
 * @throws {ConfigError} If an option is wrong
 *
 * @example Run two fleets on one server
 * ```ts
 * import { fleetServerConfig } from "@sluice/fleet";
 * import assert from "node:assert/strict";
 *
 * const config = fleetServerConfig({
 *   fleets: [
 *     { name: "reviews", password: "one" },
 *     { name: "payroll", password: "two" },
 *   ],
 *   storeDir: "/var/lib/nats",
 *   tls: { certFile: "/etc/nats/cert.pem", keyFile: "/etc/nats/key.pem" },
 * });
 * assert.match(config, /accounts/);
 * ```
 */
export function fleetServerConfig(options: FleetServerOptions): string {
  plainObject(options, "options");
  checkKeys(options, OPTIONS, "");
  for (const key of ["fleets", "storeDir"] as const) {
    if (options[key] === undefined) refuse(key, undefined, "given");
  }
  const { fleets, storeDir, tls } = options;
  const names = fleets.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) refuse("fleets", twice, "fleets of different names");
  const { listen = tls === undefined ? LISTEN_HERE : LISTEN_ALL } = options;
  // One account for each fleet keeps their subjects apart, whatever a user asks for.
  const accounts = Object.fromEntries(
    fleets.map((fleet) => [fleet.name, account(fleet)]),
  );
  const config = {
    listen,
    jetstream: { store_dir: storeDir },
    ...tls !== undefined && { tls: tlsBlock(tls) },
    accounts,
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}

/** JSON is a NATS configuration, except for escapes of control characters. */
function plain(value: unknown, key: string): void {
  text(value, key);
  if (!/\p{Cc}/u.test(String(value))) return;
  refuseSecret(key, "a text without control characters");
}

function tlsBlock(
  { certFile, keyFile, caFile }: NonNullable<FleetServerOptions["tls"]>,
): object {
  return {
    cert_file: certFile,
    key_file: keyFile,
    ...caFile !== undefined && { ca_file: caFile, verify: true },
  };
}

function account(
  { name, password, maxBytes }: FleetServerOptions["fleets"][number],
): object {
  const permissions = {
    publish: published(name),
    subscribe: [`_INBOX.sluice.${name}.>`, `sluice.${name}.signal.>`],
  };
  return {
    jetstream: maxBytes === undefined ? "enabled" : { max_file: maxBytes },
    users: [{ user: name, password, permissions }],
  };
}

/** All that a fleet asks of its server: it can neither delete nor change a stream. */
function published(name: string): readonly string[] {
  const { row, log, queue } = streamsOf(name);
  const api = (call: string) => `$JS.API.${call}`;
  return [
    `sluice.${name}.>`,
    ...[row, log, queue].flatMap((stream) => [
      api(`STREAM.INFO.${stream}`),
      api(`STREAM.CREATE.${stream}`),
    ]),
    ...[row, log].flatMap((stream) => [
      api(`STREAM.MSG.GET.${stream}`),
      api(`STREAM.PURGE.${stream}`),
    ]),
    ...LANES.flatMap((lane) => [
      api(`CONSUMER.INFO.${queue}.${lane}`),
      api(`CONSUMER.CREATE.${queue}.${lane}.>`),
      api(`CONSUMER.MSG.NEXT.${queue}.${lane}`),
    ]),
    `$JS.ACK.${queue}.>`,
  ];
}
