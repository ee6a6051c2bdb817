import { connect } from "@nats-io/transport-node";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { connectNats } from "../src/connect_nats.ts";
import type { Engine } from "../src/engine.ts";
import type { FleetOptions } from "@sluice/fleet";
import { freePort } from "../../tests/_ports.ts";

/** Where `scripts/install/debian.ts` puts it; tests run in the root. */
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
  /** Freezes it, or lets it continue. */
  freeze(isFrozen: boolean): void;
  /** Starts it again, on the same port and with what it had stored. */
  start(): Promise<void>;
  /** Takes away what else was on its disk. */
  makeRoom(): Promise<void>;
}

/** Settings of {@link withNats}. */
export interface NatsSettings {
  /** Its whole configuration, for a port and a folder to store in. */
  readonly file?: (port: number, folder: string) => Promise<string>;
  /** Lines of its configuration beside port and store. */
  readonly config?: string;
  /** Lines of its storage. */
  readonly jetstream?: string;
  /** Bytes of a disk of its own; half of it is taken by something else. */
  readonly diskBytes?: number;
}

/** Why a server can have no disk of its own here, for `skip`. */
export function reasonWithoutDisks(): string | undefined {
  const { status } = spawnSync("unshare", [
    "-Urm",
    "mount",
    "-t",
    "tmpfs",
    "x",
    "/mnt",
  ]);
  return status === 0
    ? undefined
    : "No unshare: needs Linux that lets this user mount in a namespace of its own";
}

/** Runs a test body with a server of its own. */
export async function withNats(
  use: (server: NatsServer) => Promise<void>,
  { config = "", jetstream = "", diskBytes, file }: NatsSettings = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
  const engines: Engine[] = [];
  const disk = join(folder, "disk");
  const own = (port: number) => `
    listen: "127.0.0.1:${port}"
    jetstream { store_dir: "${disk}/store"\n${jetstream} }
    ${config}
  `;
  const make = (port: number) => file?.(port, folder) ?? own(port);
  const server = natsProcess(disk, make, diskBytes);
  try {
    await server.start();
    const { url, port } = server.at();
    await use({
      ...server,
      url,
      port,
      folder,
      engine: (options) => engineOf(engines, url, options),
    });
  } finally {
    await Promise.all(engines.map((engine) => engine.close()));
    await server.kill();
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Three servers of one test, which keep everything three times. */
export interface NatsCluster {
  readonly urls: readonly string[];
  /** Each of them, by its number. */
  readonly members: readonly Process[];
  /** Number of the one that leads a stream. */
  leaderOf(stream: string): Promise<number>;
  /** Resolves when each has all streams as they are now. */
  caughtUp(): Promise<void>;
}

/** Runs a test body with a cluster of its own. */
export async function withCluster(
  use: (cluster: NatsCluster) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "fleet-"));
  const ports = [await freePort(), await freePort(), await freePort()];
  const routes = ports.map((one) => `"nats://127.0.0.1:${one}"`).join(", ");
  const members = ports.map((own, at) =>
    natsProcess(join(folder, `${at}`), (port) => `
      listen: "127.0.0.1:${port}"
      server_name: "${at}"
      jetstream { store_dir: "${folder}/${at}/store" }
      cluster { name: test, listen: "127.0.0.1:${own}", routes: [${routes}] }
    `)
  );
  try {
    await Promise.all(members.map((member) => member.start()));
    const urls = members.map((member) => member.at().url);
    // On a busy machine one of them may be overlooked by the others: they begin anew.
    while (!await haveMet(urls)) {
      await Promise.all(members.map((member) => member.kill()));
      await Promise.all(members.map((member) => member.start()));
    }
    await use({
      urls,
      members,
      async leaderOf(stream) {
        const connection = await connect({ servers: [...urls] });
        try {
          const call = `$JS.API.STREAM.INFO.${stream}`;
          const { cluster } = (await connection.request(call)).json<
            { readonly cluster: { readonly leader: string } }
          >();
          return Number(cluster.leader);
        } finally {
          await connection.close();
        }
      },
      caughtUp: () => caughtUp(urls),
    });
  } finally {
    await Promise.all(members.map((member) => member.kill()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Waits until all replicas of all streams are up to date. */
async function caughtUp(urls: readonly string[]): Promise<void> {
  const connection = await connect({ servers: [...urls] });
  const isDone = async () => {
    try {
      const { streams = [] } = (await connection.request("$JS.API.STREAM.LIST"))
        .json<
          { readonly streams?: readonly StreamState[] }
        >();
      return streams.length > 0 &&
        streams.every(({ cluster }) =>
          cluster.replicas?.length === 2 &&
          cluster.replicas.every(({ current, offline }) => current && !offline)
        );
    } catch {
      return false;
    }
  };
  try {
    while (!await isDone()) await sleep(200);
  } finally {
    await connection.close();
  }
}

/** A stream in the answer of the server. */
interface StreamState {
  readonly cluster: {
    readonly replicas?: readonly {
      readonly current: boolean;
      readonly offline?: boolean;
    }[];
  };
}

/** Whether three servers come to keep a stream together. */
async function haveMet(urls: readonly string[]): Promise<boolean> {
  const connection = await connect({ servers: [...urls] });
  const ask = async (call: string, body = {}) => {
    const { error } = (await connection.request(
      `$JS.API.STREAM.${call}.probe`,
      JSON.stringify(body),
    )).json<{ readonly error?: unknown }>();
    if (error !== undefined) throw error;
  };
  const probe = { name: "probe", subjects: ["probe"], num_replicas: 3 };
  try {
    for (let look = 0; look < 30; look++) {
      try {
        await ask("CREATE", probe);
        await ask("DELETE");
        return true;
      } catch {
        await sleep(500);
      }
    }
    return false;
  } finally {
    await connection.close();
  }
}

/** A server as a process. */
interface Process {
  /** Address on which it listens, once it has been started. */
  at(): { readonly url: string; readonly port: number };
  /** Starts it; the next time on the same port, with what it had stored. */
  start(): Promise<void>;
  kill(): Promise<void>;
  freeze(isFrozen: boolean): void;
  makeRoom(): Promise<void>;
}

/** Begins with a disk that exists for this process alone. */
const ON_OWN_DISK =
  'mount -t tmpfs -o size="$1" none "$2" && head -c $(($1 / 2)) /dev/zero >"$2/other" && exec "$3" -c "$4"';

function natsProcess(
  folder: string,
  config: (port: number) => string | Promise<string>,
  diskBytes?: number,
): Process {
  let child: ChildProcess | undefined;
  let port = 0;
  return {
    at: () => ({ url: `nats://127.0.0.1:${port}`, port }),
    async start() {
      // Beside, since a disk of its own would hide it.
      const file = `${folder}.conf`;
      await mkdir(folder, { recursive: true });
      port ||= await freePort();
      await writeFile(file, await config(port));
      const words = diskBytes === undefined
        ? [PROGRAM as string, "-c", file]
        : [
          ...["unshare", "-Urm", "sh", "-c", ON_OWN_DISK, "sh"],
          ...[`${diskBytes}`, folder, PROGRAM as string, file],
        ];
      const [command = "", ...args] = words;
      const started = spawn(command, args, {
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
        started.on(
          "exit",
          () => reject(new Error(`nats-server ended: ${said}`)),
        );
      });
      stderr?.removeAllListeners("data").resume();
    },
    async kill() {
      const running = child;
      child = undefined;
      if (running === undefined || running.exitCode !== null) return;
      const gone = once(running, "exit");
      signal(running, "SIGKILL");
      await gone;
    },
    freeze: (isFrozen) => signal(child, isFrozen ? "SIGSTOP" : "SIGCONT"),
    makeRoom: () => rm(`/proc/${child?.pid}/root${folder}/other`),
  };
}

/** By its id: Deno sends a child one signal, and no further one. */
function signal(
  child: ChildProcess | undefined,
  name: "SIGKILL" | "SIGSTOP" | "SIGCONT",
): void {
  if (child?.pid !== undefined) process.kill(child.pid, name);
}

async function engineOf(
  engines: Engine[],
  servers: string,
  options: Partial<FleetOptions> = {},
): Promise<Engine> {
  const engine = await connectNats({
    servers,
    name: "test",
    leaseMs: 2_000,
    patienceMs: 20_000,
    ...options,
  });
  engines.push(engine);
  return engine;
}
