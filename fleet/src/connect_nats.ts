import type {
  ConnectionOptions,
  NodeConnectionOptions,
} from "@nats-io/transport-node";
import type { NodeTransport } from "@nats-io/transport-node/lib/node_transport.js";
import type { FleetError } from "./errors.ts";
import { programHost, textOfError } from "@sluice/agent/extend";
import type { FleetOptions } from "./types.ts";
import { type Engine, fleetError } from "./engine.ts";
import { natsEngine } from "./nats_engine.ts";

/** Older servers deliver again, after a kill, what was done with, and do not know all settings. */
const OLDEST_SERVER = "2.10.27";
const PACKAGE = "@nats-io/transport-node";
const PING_MS = 10_000;
const CONNECT_MS = 10_000;
const LEASE_MS = 30_000;
const PATIENCE_MS = 120_000;

/** Connects to a server, and makes there what a fleet of this name needs. */
export async function connectNats(options: FleetOptions): Promise<Engine> {
  const client = await load();
  const { connect, headers, credsAuthenticator } = client;
  const { servers, name, credentials, tls } = options;
  const more: ConnectionOptions = {};
  if (credentials !== undefined) {
    if ("credsFile" in credentials) {
      const { readText } = await programHost();
      const { credsFile } = credentials;
      const text = await readText(credsFile).catch((cause) => {
        throw fleetError(
          "settings",
          `Cannot read "credentials.credsFile": ${textOfError(cause)}`,
          { cause },
        );
      });
      more.authenticator = credsAuthenticator(new TextEncoder().encode(text));
    } else if ("token" in credentials) more.token = credentials.token;
    else {
      more.user = credentials.user;
      more.pass = credentials.password;
    }
  }
  const addresses = [servers].flat();
  // The client ignores the scheme: without settings it speaks in the clear to a server that offers no TLS.
  const needsTls = tls !== undefined || addresses.some(asksForTls);
  const settings: NodeConnectionOptions = {
    ...more,
    ...needsTls && { tls: { ...tls } },
    servers: addresses,
    name: `sluice ${name}`,
    // No fleet receives the answers to another.
    inboxPrefix: `_INBOX.sluice.${name}`,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 250,
    pingInterval: PING_MS,
    maxPingOut: 2,
    timeout: CONNECT_MS,
  };
  const guard = await heardSockets(client);
  const connecting = connect(settings);
  guard();
  const connection = await connecting.catch((error: unknown) => {
    throw unreached(error, servers);
  });
  const engine = natsEngine(connection, () => headers(), {
    name,
    leaseMs: options.leaseMs ?? LEASE_MS,
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    replicas: options.replicas ?? 1,
  });
  try {
    const { version = "unknown", jetstream } = connection.info ?? {};
    if (isBefore(version, OLDEST_SERVER)) {
      throw fleetError(
        "version",
        `NATS server is too old: ${version}; needed is ${OLDEST_SERVER} or later`,
      );
    }
    if (jetstream !== true) {
      throw fleetError(
        "settings",
        'NATS server has no JetStream: start it with "-js", or set "jetstream" in its configuration',
      );
    }
    await engine.open();
  } catch (error) {
    await engine.close();
    throw error;
  }
  return engine;
}

async function load(): Promise<typeof import("@nats-io/transport-node")> {
  try {
    return await import("@nats-io/transport-node");
  } catch (cause) {
    throw fleetError(
      "version",
      `Cannot load ${PACKAGE}: install it, version 3.4 or later: ${
        textOfError(cause)
      }`,
      { cause },
    );
  }
}

function isBefore(version: string, other: string): boolean {
  const [one, two] = [version, other].map((text) =>
    text.split(/[.-]/).slice(0, 3).map(Number)
  ) as [number[], number[]];
  for (const [at, least] of two.entries()) {
    const is = one[at] ?? Number.NaN;
    if (is !== least) return !(is > least);
  }
  return false;
}

function asksForTls(address: string): boolean {
  return /^\s*tls:/i.test(address);
}

/** Says what is wrong, without the password that may stand in an address. */
function unreached(
  error: unknown,
  servers: string | readonly string[],
): FleetError {
  const shown = [servers].flat().map((one) =>
    String(one).replace(/\/\/[^@/]*@/, "//")
  ).join(", ");
  if (error instanceof Error && /does not support 'tls'/.test(error.message)) {
    return fleetError(
      "settings",
      `NATS server ${shown} offers no TLS, and no credentials were sent: configure "tls" there, or connect with "nats://" and without "tls"`,
      { cause: error },
    );
  }
  const isRefused = error instanceof Error &&
    /Authorization|UserAuthentication|permission/i.test(
      `${error.name} ${error.message}`,
    );
  return fleetError(
    isRefused ? "refused" : "unreachable",
    isRefused
      ? `NATS server ${shown} does not let this program in: check "credentials"`
      : `Cannot reach NATS server ${shown}: ${textOfError(error)}`,
    { cause: error },
  );
}

type Client = typeof import("@nats-io/transport-node");
type Socket = NodeTransport["socket"];

/**
 * Makes connections of the client whose sockets never lose their last listener for errors.
 *
 * The client removes all listeners when it gives a connection up; on Deno a read that failed just before is reported a turn
 * later, and would end the program, such as at each rejected password.
 *
 * @returns What to call after `connect()`, before anything else: it sets a factory of its own
 */
async function heardSockets(client: Client): Promise<() => void> {
  // It is no documented part of the package: without it, nothing but that guard is missing.
  const inner = await import("@nats-io/transport-node/lib/node_transport.js")
    .catch(() => undefined);
  if (inner === undefined) return () => {};
  const { NodeTransport, nodeResolveHost } = inner;
  return () =>
    client.setTransportFactory({
      factory: () => heard(new NodeTransport()),
      dnsResolveFn: nodeResolveHost,
    });
}

function heard(transport: NodeTransport): NodeTransport {
  let socket: Socket | undefined;
  return Object.defineProperty(transport, "socket", {
    get: () => socket,
    set(next: Socket | undefined) {
      socket = next;
      if (next === undefined) return;
      const remove = next.removeAllListeners.bind(next);
      next.removeAllListeners = (...event) => {
        remove(...event);
        return next.on("error", () => {});
      };
    },
  });
}
