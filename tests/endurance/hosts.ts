/** Hosts that end in every way in the middle of a tool: how long anything of theirs lives on. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { ROOT_PATH, say } from "../../scripts/project.ts";

/** How a host ends: by its own program, or by a signal. */
const OWN = ["exit", "throw", "reject"] as const;
const SIGNALS = ["SIGHUP", "SIGINT", "SIGTERM", "SIGKILL"] as const;
type Way = typeof OWN[number] | typeof SIGNALS[number];

/** Hosts at once. */
const JOBS = 4;

/** From SIGTERM to SIGKILL when the host is gone, in milliseconds. */
const GUARD_MS = 500;
/** Nothing lives longer after the host; twice the guard's limit, for the machine is busy. */
const BOUND_MS = 2_000;
const LIMIT_MS = 60_000;
const DRIVER = "tests/fixtures/host_driver.ts";

/** A child that ends by SIGTERM and leaves its tool, which has a session of its own. */
const CHILD = `setsid sh -c 'echo $$ > "$FILE"; exec sleep 600' &
while ! [ -s "$FILE" ]; do sleep 0.01; done; echo up; wait`;

/** Lets so many hosts end in each way and says what became of their children; false when one of those outlived its bound. */
export async function endureHosts(
  runtime: string,
  programOf: (file: string) => readonly [string, ...string[]],
  runs: number,
): Promise<boolean> {
  const folder = await mkdtemp("/tmp/endurance-hosts-");
  let isGood = true;
  for (const way of [...OWN, ...SIGNALS]) {
    const times: number[] = [];
    const faults: string[] = [];
    let next = 0;
    const work = async () => {
      while (next < runs) {
        const file = join(folder, `${way}-${next++}`);
        const outcome = await endOne(programOf(DRIVER), way, file);
        if (typeof outcome === "string") faults.push(outcome);
        else times.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: JOBS }, work));
    times.sort((one, other) => one - other);
    const [median, most] = [times[times.length >> 1], times.at(-1)];
    say(
      `${runtime} ${way}: ${times.length} of ${runs} left nothing, ` +
        `median ${median?.toFixed()} ms, most ${most?.toFixed()} ms`,
    );
    for (const fault of faults) say(`  FAULT ${fault}`);
    isGood &&= faults.length === 0;
  }
  await rm(folder, { recursive: true });
  return isGood;
}

/** Milliseconds from the end of a host to that of the last of its processes; a text when something is wrong. */
async function endOne(
  [command, ...args]: readonly [string, ...string[]],
  way: Way,
  file: string,
): Promise<number | string> {
  const isSignal = way.startsWith("SIG");
  const host = new Deno.Command(command, {
    args: [
      ...args,
      isSignal ? "wait" : way,
      `FILE='${file}'; export FILE\n${CHILD}`,
      "forward",
      `${GUARD_MS}`,
    ],
    cwd: ROOT_PATH,
    stdin: "null",
    stdout: "piped",
    stderr: "null",
    detached: true,
  }).spawn();
  const limit = setTimeout(() => host.kill("SIGKILL"), LIMIT_MS);
  const reader = host.stdout.getReader();
  const said = new TextDecoder().decode((await reader.read()).value);
  const child = /^child (\d+)$/m.exec(said)?.[1];
  if (child === undefined) {
    host.kill("SIGKILL");
    await host.status;
    clearTimeout(limit);
    return `${way}: host said ${JSON.stringify(said)}`;
  }
  const pids = [Number(child), Number(await readFile(file, "utf8"))];
  if (isSignal) {
    // Somewhere in its life, the moment included in which its watchdog starts.
    await pause(Math.random() * 60);
    pids.push(...childrenOf(host.pid));
    host.kill(way as Deno.Signal);
  }
  await host.status;
  clearTimeout(limit);
  const began = performance.now();
  await reader.cancel();
  for (;;) {
    const living = pids.filter(isRunning);
    const tookMs = performance.now() - began;
    if (living.length === 0) return tookMs;
    if (tookMs > BOUND_MS) {
      const shown = living.map((pid) => `${pid} ${commandOf(pid)}`).join(", ");
      for (const pid of living) Deno.kill(pid, "SIGKILL");
      return `${way}: still there after ${BOUND_MS} ms: ${shown}`;
    }
    await pause(2);
  }
}

function childrenOf(parent: number): readonly number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name))
    .filter((pid) => pid > 0 && statOf(pid)[1] === `${parent}`);
}

function isRunning(pid: number): boolean {
  const [state] = statOf(pid);
  return state !== undefined && state !== "Z" && state !== "X";
}

/** State, parent and more. */
function statOf(pid: number): readonly string[] {
  const text = textOf(`/proc/${pid}/stat`);
  return text === "" ? [] : text.slice(text.lastIndexOf(")") + 2).split(" ");
}

function commandOf(pid: number): string {
  return textOf(`/proc/${pid}/cmdline`).replaceAll("\0", " ").slice(0, 60);
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
