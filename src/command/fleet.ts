import { isAgentError } from "../errors/base.ts";
import type { Screen } from "./command_line.ts";
import { type Fleet, fleetPackage } from "./fleet_package.ts";

const DEFAULT_SERVER = "nats://127.0.0.1:4222";

export interface FleetFlags {
  readonly fleet: string;
  readonly server?: string;
  readonly creds?: string;
  readonly json?: true;
}

/** Connects to the fleet: address from flags, then variables, whose values no other user of the machine can read. */
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
    credentials,
    ...Object.keys(tls).length > 0 && { tls },
    key: env["SLUICE_FLEET_KEY"] || undefined,
  };
  const { Fleet } = await fleetPackage();
  try {
    return await Fleet.connect(options);
  } catch (error) {
    // The fleet has another lease than the usual one.
    const leaseMs = isAgentError(error) ? error.details["leaseMs"] : undefined;
    if (leaseMs === undefined) throw error;
    return await Fleet.connect({ ...options, leaseMs });
  }
}
