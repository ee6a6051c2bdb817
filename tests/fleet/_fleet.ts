import { Fleet } from "../../src/fleet/fleet.ts";
import type { FleetOptions, JobMessage } from "../../src/types/fleet.ts";
import { type NatsServer, type NatsSettings, withNats } from "./_nats.ts";

/** A server, and fleets on it that end with the test. */
export interface FleetRig extends NatsServer {
  /** Connects to the fleet, as one program does. */
  fleet(options?: Partial<FleetOptions>): Promise<Fleet>;
}

/** Runs a test body with a server and fleets on it. */
export function withFleet(
  use: (rig: FleetRig) => Promise<void>,
  settings?: NatsSettings,
): Promise<void> {
  return withNats(async (server) => {
    const fleets: Fleet[] = [];
    try {
      await use({
        ...server,
        fleet: async (options = {}) => {
          const fleet = await Fleet.connect({
            servers: server.url,
            name: "test",
            leaseMs: 1_000,
            patienceMs: 20_000,
            ...options,
          });
          fleets.push(fleet);
          return fleet;
        },
      });
    } finally {
      await Promise.all(fleets.map((fleet) => fleet.close()));
    }
  }, settings);
}

/** All messages of a stream. */
export async function all(
  stream: ReadableStream<JobMessage>,
): Promise<JobMessage[]> {
  const list: JobMessage[] = [];
  for await (const one of stream) list.push(one);
  return list;
}

/** How a job went, in short: how each attempt ended. */
export function outcomes(
  { attempts }: { readonly attempts: readonly { outcome?: string }[] },
): readonly (string | undefined)[] {
  return attempts.map(({ outcome }) => outcome);
}
