// deno-lint-ignore-file no-console -- prints its result
// Measures how long a user of the program `sluice` of npm/ waits, and prints one JSON line.
//   node bench-command.mjs --part=help|doctor|run|inspect [--rounds=5] [--mb=50]
// help, doctor: until it has ended; emptyMs is an empty program of the same runtime.
// run: what `sluice run` takes beside a program that is query() alone, in turns; the CLI is that of ./testing.
// inspect: until a recording of that many MB, as a page, shows its steps in headless Chromium.
// SLUICE_TEST_CLI is the CLI that doctor finds.
import { spawn, spawnSync } from "node:child_process";
import {
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { args } from "./lib/common.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const PROGRAM = here("../npm/sluice.js");
const CLI = process.env.SLUICE_TEST_CLI ??
  here("../.cli/node_modules/.bin/claude");
const folder = mkdtempSync(join(tmpdir(), "bench-command-"));
const env = { PATH: process.env.PATH, HOME: folder };
const rounds = Number(args.rounds ?? 5);
const median = (a) => a.sort((x, y) => x - y)[(a.length - 1) >> 1];

const PARTS = {
  help: () => beside(["-e", "0"], [PROGRAM, "--help"]),
  doctor: () => beside(["-e", "0"], [PROGRAM, "doctor", "--cli", CLI], [0, 1]),
  run: runPart,
  inspect: inspectPart,
};
try {
  console.log(JSON.stringify(await PARTS[args.part]()));
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
process.exit(0);

/** Runs a program and returns its time, in milliseconds. */
function timed(words, codes = [0]) {
  const t = performance.now();
  const { status, stderr } = spawnSync(process.execPath, words, {
    cwd: folder,
    env,
    input: "",
    encoding: "utf8",
  });
  if (!codes.includes(status)) throw new Error(`${words}: ${stderr}`);
  return performance.now() - t;
}

/** Two programs in turns: the first is the yardstick. */
function beside(first, second, codes) {
  const times = Array.from(
    { length: rounds },
    () => [timed(first), timed(second, codes)],
  );
  return {
    emptyMs: median(times.map(([empty]) => empty)),
    ms: median(times.map(([, own]) => own)),
    addedMs: median(times.map(([empty, own]) => own - empty)),
  };
}

async function runPart() {
  const { fakeCli } = await import("../npm/testing.js");
  const fake = fakeCli({ turns: "Yes.", record: false });
  const cli = join(folder, "claude");
  const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
  writeFileSync(cli, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  const bare = join(folder, "bare.mjs");
  const entry = pathToFileURL(here("../npm/mod.js"));
  writeFileSync(
    bare,
    `import { query } from ${JSON.stringify(entry)};
await query("hi", { cliPath: ${JSON.stringify(cli)} }).text();
`,
  );
  const { addedMs } = beside([bare], [PROGRAM, "run", "--cli", cli, "hi"]);
  await fake.close();
  return { addedMs };
}

async function inspectPart() {
  const cassette = join(folder, "long.jsonl");
  writeCassette(cassette, Number(args.mb ?? 50) * 1e6);
  const makeMs = timed([PROGRAM, "inspect", cassette]);
  const page = pathToFileURL(`${cassette}.html`).href;
  const times = [];
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    times.push(await open(page));
  }
  return { makeMs, ms: median(times), emptyMs: timed(["-e", "0"]) };
}

/** Turns with a subagent each; texts and results of 600 characters. */
function writeCassette(file, size) {
  const fd = openSync(file, "w");
  const text = "the quick brown fox writes a file of tests\n".repeat(14);
  let bytes = 0, t = 0, lines = [];
  const add = (msg, dir = "out") => {
    const line = `${JSON.stringify({ t: t += 7, dir, msg })}\n`;
    bytes += line.length;
    lines.push(line);
    if (lines.length < 1_000) return;
    writeSync(fd, lines.join(""));
    lines = [];
  };
  const answer = (n, block, parent = null) =>
    add({
      type: "assistant",
      parent_tool_use_id: parent,
      message: {
        id: `m${n}`,
        model: "m",
        content: [block],
        usage: { input_tokens: 1_000 + n },
      },
    });
  for (let n = 0; bytes < size; n++) {
    const first = n - n % 200;
    if (n === first) {
      const content = `Prompt ${n}`;
      add({ type: "user", message: { role: "user", content } }, "in");
      const id = `agent${n}`;
      answer(n, { type: "tool_use", id, name: "Agent", input: {} });
    }
    const parent = n % 200 < 60 ? `agent${first}` : null;
    const id = `t${n}`;
    answer(n, { type: "text", text }, parent);
    answer(n, { type: "tool_use", id, name: "Bash", input: {} }, parent);
    add({
      type: "user",
      parent_tool_use_id: parent,
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: id, content: text }],
      },
    });
    if (n % 200 === 199) add({ type: "result", is_error: false });
  }
  writeSync(fd, lines.join(""));
}

/** From the wish to go there until the page says that it is ready. */
async function open(page) {
  const pipe = ["ignore", "ignore", "ignore", "pipe", "pipe"];
  const browser = spawn(process.env.CHROMIUM ?? "chromium", [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    `--user-data-dir=${join(folder, "profile")}`,
    "--remote-debugging-pipe",
    "about:blank",
  ], { stdio: pipe });
  const ended = new Promise((resolve, reject) => {
    browser.on("error", reject);
    browser.on("close", resolve);
  });
  ended.catch(() => {});
  const [, , , to, from] = browser.stdio;
  const waiting = new Map();
  let last = 0, rest = "";
  from.setEncoding("utf8").on("data", (text) => {
    const parts = (rest + text).split("\0");
    rest = parts.pop();
    for (const part of parts) {
      const { id, result } = JSON.parse(part);
      waiting.get(id)?.(result);
    }
  });
  const ask = (method, params, sessionId) => {
    const id = ++last;
    to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    const answered = new Promise((resolve) => waiting.set(id, resolve));
    return Promise.race([answered, ended]);
  };
  const { targetId } = await ask("Target.createTarget", { url: "about:blank" });
  const attach = { targetId, flatten: true };
  const { sessionId } = await ask("Target.attachToTarget", attach);
  const t = performance.now();
  await ask("Page.navigate", { url: page }, sessionId);
  const expression =
    `document.documentElement.dataset.ready === "yes" && document.querySelector(".step .title") !== null`;
  for (;;) {
    const seen = await ask("Runtime.evaluate", { expression }, sessionId);
    if (seen?.result?.value === true) break;
    await sleep(10);
  }
  const ms = performance.now() - t;
  await ask("Browser.close");
  await ended;
  return ms;
}
