// deno-lint-ignore-file no-console -- prints its result
// Measures a warm process of the real CLI with a scripted model, and prints one JSON line.
//   node bench-warm.mjs --peer=sluice|official --part=warm|cold|added [--rounds=3] [--warm-up]
//   node bench-warm.mjs --peer=sluice --part=run [--prompts=200 --concurrency=8]
// warm: milliseconds from the prompt to the first text, from a process of a pool, and
//   from the official startup(); cold: the same of a query(); added: the same as warm
//   with the fake CLI, which needs no time of its own.
// run: prompts of pool.run() with the fake CLI; processes that are left, and how much
//   memory grew between the first and the last quarter.
// SLUICE_TEST_CLI is the CLI; SLUICE_MODULE and SLUICE_TESTING (or SLUICE_MODULE_NODE,
// ...) are the entries, paths or URLs.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { args, FAKE, importFrom, runtime } from "./lib/common.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const isNode = runtime === "node";
const isFake = args.part === "added";
const CLI = isFake
  ? FAKE
  : process.env.SLUICE_TEST_CLI ?? here("../.cli/node_modules/.bin/claude");

async function load(key, built, source) {
  const where = process.env[`${key}_${runtime.toUpperCase()}`] ??
    process.env[key] ?? here(isNode ? built : source);
  return await import(
    /^[a-z]{2,}:/.test(where) ? where : pathToFileURL(resolve(where)).href
  );
}
const { Pool, query } = await load(
  "SLUICE_MODULE",
  "../npm/mod.js",
  "../mod.ts",
);
const { scriptedModel, fakeCli } = await load(
  "SLUICE_TESTING",
  "../npm/testing.js",
  "../src/testing/mod.ts",
);
const median = (a) => a.sort((x, y) => x - y)[(a.length - 1) >> 1];

console.log(JSON.stringify(
  args.part === "run" ? await runMany() : await firstWords(),
));

/** A conversation until its end: when its first text came. */
async function timed(begin) {
  const t = performance.now();
  let textMs;
  for await (const message of begin()) {
    const isText = message.type === "assistant" ||
      message.event?.type === "content_block_delta";
    if (isText) textMs ??= performance.now() - t;
  }
  return textMs;
}

async function firstWords() {
  const folder = mkdtempSync(join(tmpdir(), "bench-warm-"));
  const model = await scriptedModel([{ text: "Yes.", repeat: true }]);
  // The first answer of the model takes longer, because it loads code of this process.
  const request = { method: "POST", body: '{"stream":true}' };
  await (await fetch(`${model.url}/v1/messages`, request)).text();
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    FAKECLI: "mode=stream,kind=text,n=1",
    ...model.env,
  };
  const options = {
    cwd: folder,
    env,
    settingSources: [],
    includePartialMessages: true,
  };
  const ours = { ...options, cliPath: CLI, envPolicy: "replace" };
  const theirs = {
    ...options,
    pathToClaudeCodeExecutable: CLI,
    // Without it the official SDK sends an empty one.
    systemPrompt: { type: "preset", preset: "claude_code" },
  };
  const sdk = args.peer === "official"
    ? await importFrom("@anthropic-ai/claude-agent-sdk", "sdk.mjs")
    : undefined;
  const rows = [];
  try {
    for (let round = 0; round < Number(args.rounds ?? 3); round++) {
      if (args.part === "cold") {
        rows.push(
          await timed(() =>
            sdk?.query({ prompt: "hi", options: theirs }) ?? query("hi", ours)
          ),
        );
        continue;
      }
      const warmUp = args["warm-up"] === "true";
      const pool = sdk ? undefined : new Pool({ ...ours, warmUp });
      await pool?.ready();
      const warm = await sdk?.startup({ options: theirs });
      // Parked, and at rest.
      await sleep(isFake ? 50 : 1_000);
      rows.push(await timed(() => warm?.query("hi") ?? pool.query("hi")));
      warm?.close();
      await pool?.close();
    }
  } finally {
    await model.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return { textMs: median(rows) };
}

async function runMany() {
  const count = Number(args.prompts ?? 200);
  const concurrency = Number(args.concurrency ?? 8);
  const { cliPath, close } = fakeCli({ turns: "Yes.", record: false });
  const pool = new Pool({ cliPath });
  const numbers = Array.from({ length: count }, (_, n) => n);
  const rss = [];
  const t = performance.now();
  for await (const { error } of pool.run(numbers, String, { concurrency })) {
    if (error !== undefined) throw error;
    globalThis.gc?.();
    rss.push(process.memoryUsage().rss);
  }
  const ms = performance.now() - t;
  await pool.close();
  await close();
  const quarter = count >> 2;
  const grownBytes = median(rss.slice(-quarter)) -
    median(rss.slice(quarter, 2 * quarter));
  return { ms, left: children().length, grownMb: grownBytes / 2 ** 20 };
}

/** Processes of this one that are left, but for the one that lists them. */
function children() {
  const all = execFileSync("ps", ["-o", "args=", "--ppid", `${process.pid}`], {
    encoding: "utf8",
  });
  return all.split("\n").filter((line) =>
    line && !line.includes("ps -o args=")
  );
}
