import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { connectNats } from "../../src/fleet/connect_nats.ts";
import type { Engine } from "../../src/fleet/engine.ts";
import type { FleetOptions } from "../../src/types/fleet.ts";

/** Where `scripts/install/nats.ts` puts it; tests run in the root. */
const INSTALLED = resolve(".nats/nats-server");

/** The program; set by the test runner. */
const PROGRAM = process.env["SLUICE_NATS"] ??
  (existsSync(INSTALLED) ? INSTALLED : undefined);

/** Why tests with a server are left out, for `skip`. */
export const reasonWithoutNats: string | undefined = PROGRAM === undefined
  ? "No nats-server: run `npm test`, or set SLUICE_NATS to the path of one, 2.10.27 or later"
  : undefined;

/** A server of one test, which can die and come back. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** Connects to it, as one program of a fleet does; closed with the server. */
  engine(options?: Partial<FleetOptions>): Promise<Engine>;
  /** Kills it, as a machine does that loses its power. */
  kill(): Promise<void>;
  /** Freezes it, or lets it go on. */
  freeze(isFrozen: boolean): void;
  /** Starts it again, on the same port and with what it had stored. */
  start(): Promise<void>;
}

/** Settings of {@link withNats}. */
export interface NatsSettings {
  /** Lines of its configuration beside port and store. */
  readonly config?: string;
  /** Lines of its storage. */
  readonly jetstream?: string;
}

/** Runs a test body with a server of its own. */
export async function withNats(
  use: (server: NatsServer) => Promise<void>,
  { config = "", jetstream = "" }: NatsSettings = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
  const engines: Engine[] = [];
  let child: ChildProcess | undefined;
  let port = -1;
  async function start(): Promise<void> {
    const file = join(folder, "nats.conf");
    await writeFile(
      file,
      `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${folder}/store"\n${jetstream} }\n${config}\n`,
    );
    const started = spawn(PROGRAM as string, ["-c", file], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    child = started;
    let said = "";
    const stderr = started.stderr;
    stderr?.setEncoding("utf8");
    await new Promise<void>((resolve, reject) => {
      stderr?.on("data", (text: string) => {
        said += text;
        if (said.includes("Server is ready")) resolve();
      });
      started.on("error", reject);
      started.on("exit", () => reject(new Error(`nats-server ended: ${said}`)));
    });
    stderr?.removeAllListeners("data").resume();
    if (port === -1) port = portIn(said);
  }
  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null) return;
    const gone = once(running, "exit");
    running.kill("SIGKILL");
    await gone;
  }
  try {
    await start();
    const url = `nats://127.0.0.1:${port}`;
    await use({
      url,
      port,
      folder,
      engine: async (options = {}) => {
        const engine = await connectNats({
          servers: url,
          name: "test",
          leaseMs: 2_000,
          patienceMs: 20_000,
          ...options,
        });
        engines.push(engine);
        return engine;
      },
      kill,
      freeze: (isFrozen) => void child?.kill(isFrozen ? "SIGSTOP" : "SIGCONT"),
      start,
    });
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The port that it has chosen. */
function portIn(said: string): number {
  const told = /client connections on 127\.0\.0\.1:(\d+)/.exec(said)?.[1];
  if (told === undefined) throw new Error(`No port: ${said}`);
  return Number(told);
}
