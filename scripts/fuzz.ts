// Feeds random input to what takes text from outside, other input in every run.
//
//   deno task fuzz                                    all targets, 15 s each, side by side
//   deno task fuzz --targets=framer,parser --seconds=60
//   deno task fuzz --targets=framer --seed=42         one input again, with its whole error
import { fileURLToPath } from "node:url";
import { framer } from "../tests/fuzz/framer.ts";
import { names } from "../tests/fuzz/names.ts";
import { parser } from "../tests/fuzz/parser.ts";
import { sessions } from "../tests/fuzz/sessions.ts";
import { strict } from "../tests/fuzz/strict.ts";
import type { FuzzTarget } from "../tests/fuzz/_target.ts";
import { randomFrom } from "../tests/options/_random.ts";
import { commandLine, DENO, say } from "./project.ts";

const TARGETS: readonly FuzzTarget[] = [
  names,
  sessions,
  framer,
  parser,
  strict,
];
/** A target that takes longer hangs, which is a failure as well. */
const LIMIT_SECONDS = 120;
const USAGE =
  "deno task fuzz [--targets=names,sessions,framer,parser,strict] " +
  "[--seconds=15] [--seed=N]";

const { names: words, flags: settings } = commandLine();
if (settings.has("help")) {
  say(USAGE);
  Deno.exit(0);
}
for (const key of [...words, ...settings.keys()]) {
  if (!["targets", "seconds", "seed", "alone"].includes(key)) {
    refuse(`Option is unknown: --${key}`);
  }
}
const wanted = settings.get("targets")?.split(",") ??
  TARGETS.map(({ name }) => name);
const chosen = TARGETS.filter(({ name }) => wanted.includes(name));
const seconds = Number(settings.get("seconds") ?? 15);
const unknown = wanted.filter((one) =>
  !TARGETS.some(({ name }) => name === one)
);
if (unknown.length > 0) refuse(`Target is unknown: ${unknown.join(", ")}`);
if (!(seconds > 0)) refuse("Option --seconds must be a number above 0");
const seed = settings.get("seed");
if (seed !== undefined && !/^\d+$/.test(seed)) {
  refuse("Option --seed must be a whole number");
}

if (seed !== undefined) {
  for (const { tryOne } of chosen) tryOne(randomFrom(Number(seed)));
  say(`--seed=${seed} holds`);
} else if (settings.has("alone")) {
  for (const target of chosen) search(target);
} else {
  const outcomes = await Promise.all(chosen.map(({ name }) => inProcess(name)));
  const failed = outcomes.filter((isGreen) => !isGreen).length;
  say(`fuzz: ${chosen.length - failed} passed, ${failed} failed`);
  Deno.exit(failed === 0 ? 0 : 1);
}

/** Tries inputs until the time is up; ends the process at the first that fails. */
function search({ name, tryOne }: FuzzTarget): void {
  const first = crypto.getRandomValues(new Uint32Array(1))[0] ?? 0;
  const end = performance.now() + seconds * 1_000;
  let count = 0;
  for (; performance.now() < end; count++) {
    const next = (first + count) >>> 0;
    try {
      tryOne(randomFrom(next));
    } catch (error) {
      say(`${name}: FAILED, again with --targets=${name} --seed=${next}`);
      say(error instanceof Error ? error.stack ?? error.message : `${error}`);
      Deno.exit(1);
    }
  }
  say(`${name}: ${count} inputs from --seed=${first} on`);
}

/** Runs one target in a process of its own, so that one that hangs can be ended. */
async function inProcess(name: string): Promise<boolean> {
  const child = new Deno.Command(DENO, {
    args: [
      "run",
      "-A",
      "--no-check",
      fileURLToPath(import.meta.url),
      "--alone",
      `--targets=${name}`,
      `--seconds=${seconds}`,
    ],
    stdin: "null",
  }).spawn();
  let isLate = false;
  const limitSeconds = Math.max(LIMIT_SECONDS, seconds * 2);
  const limit = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, limitSeconds * 1_000);
  const { success } = await child.status;
  clearTimeout(limit);
  if (isLate) say(`${name}: FAILED, not done within ${limitSeconds} s`);
  return success;
}

function refuse(fact: string): never {
  say(`${fact}\n${USAGE}`);
  Deno.exit(2);
}
