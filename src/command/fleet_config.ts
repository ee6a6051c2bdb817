import { DONE, type Screen, UsageError } from "./command_line.ts";
import { fleetPackage } from "./fleet_package.ts";

interface FleetConfigFlags {
  readonly store: string;
  readonly listen?: string;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly tlsCa?: string;
}

const PASSWORD_BYTES = 24;

/** Prints the configuration of a NATS server; a password comes from a variable, since others can read a command line, or is made here. */
export async function fleetConfig(
  names: readonly string[],
  { store, listen, tlsCert, tlsKey, tlsCa }: FleetConfigFlags,
  on: Screen,
): Promise<number> {
  if ((tlsCert === undefined) !== (tlsKey === undefined)) {
    throw new UsageError("--tls-cert and --tls-key go together");
  }
  if (tlsCa !== undefined && tlsCert === undefined) {
    throw new UsageError("--tls-ca needs --tls-cert and --tls-key");
  }
  const variables = new Set(names.map(variableOf));
  if (variables.size < names.length) {
    throw new UsageError(
      "names must differ in more than case, - and _: each has a password of its own",
    );
  }
  const made: string[] = [];
  const fleets = names.map((name) => {
    const given = on.program.env[variableOf(name)];
    if (!given) made.push(name);
    return { name, password: given || newPassword() };
  });
  const { fleetServerConfig } = await fleetPackage();
  const isTls = tlsCert !== undefined && tlsKey !== undefined;
  const tls = isTls && {
    tls: { certFile: tlsCert, keyFile: tlsKey, ...tlsCa && { caFile: tlsCa } },
  };
  const place = { storeDir: store, ...listen !== undefined && { listen } };
  await on.write(fleetServerConfig({ fleets, ...place, ...tls }));
  for (const name of made) {
    await on.note(
      `made a password for "${name}"; set ${variableOf(name)} to keep one`,
    );
  }
  if (!isTls) {
    await on.note("without TLS: for this machine alone; see --tls-cert");
  }
  return DONE;
}

function variableOf(name: string): string {
  return `NATS_PASSWORD_${name.toUpperCase().replaceAll("-", "_")}`;
}

function newPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}
