import { ConfigError } from "../errors/base.ts";
import type { Screen } from "./command_line.ts";
import { type Fleet, type FleetFault, fleetPackage } from "./fleet_package.ts";

const DEFAULT_SERVER = "nats://127.0.0.1:4222";

export interface FleetFlags {
  readonly fleet: string;
  readonly server?: string;
  readonly creds?: string;
  readonly lease?: number;
  readonly json?: true;
}

/** Where the fleet is: flags, then variables, whose values no other user of the machine can read. */
export async function connect(flags: FleetFlags, on: Screen): Promise<Fleet> {
  const { env } = on.program;
  const credentials = flags.creds !== undefined
    ? { credsFile: flags.creds }
    : env["NATS_USER"]
    ? { user: env["NATS_USER"], password: env["NATS_PASSWORD"] ?? "" }
    : undefined;
  const { NATS_CA: caFile, NATS_CERT: certFile, NATS_KEY: keyFile } = env;
  const tls = {
    ...caFile && { caFile },
    ...certFile && { certFile },
    ...keyFile && { keyFile },
  };
  const options = {
    servers: (flags.server ?? (env["NATS_URL"] || DEFAULT_SERVER)).split(","),
    name: flags.fleet,
    leaseMs: flags.lease,
    credentials,
    ...Object.keys(tls).length > 0 && { tls },
    key: env["SLUICE_FLEET_KEY"] || undefined,
  };
  const { Fleet, FleetError } = await fleetPackage();
  try {
    return await Fleet.connect(options);
  } catch (cause) {
    if (cause instanceof ConfigError) {
      const { key, value } = cause;
      throw new ConfigError({ message: withFlags(cause.message), key, value });
    }
    if (!(cause instanceof FleetError)) throw cause;
    const { fault, details } = cause;
    const lease = details?.["leaseMs"];
    const fix = lease === undefined ? FIXES[fault] : `--lease ${lease}`;
    const message = withFlags(cause.message);
    throw new FleetError({
      message: fix === undefined ? message : `${message}; ${fix}`,
      fault,
      cause,
    });
  }
}

/** A message with the names of flags in place of options. */
function withFlags(message: string): string {
  return message.replace(
    /(?:Option )?"(key|leaseMs|name|servers)"/g,
    (whole, key: string) => FLEET_FLAGS[key] ?? whole,
  );
}

const FLEET_FLAGS: Readonly<Record<string, string>> = {
  key: "Variable SLUICE_FLEET_KEY",
  leaseMs: "--lease",
  name: "--fleet",
  servers: "--server",
};

/** Fixes for faults of a server. */
const FIXES: Partial<Record<FleetFault, string>> = {
  unreachable: "--server, or the variable NATS_URL, says where it is",
  unreadable: "the variable SLUICE_FLEET_KEY has its key",
  refused:
    "--creds, or the variables NATS_USER and NATS_PASSWORD, say who asks",
};
