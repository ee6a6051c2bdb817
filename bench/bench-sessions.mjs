// deno-lint-ignore-file no-console -- prints its result
// Measures chats on disk: appended, loaded beside a plain read and JSON.parse() of the same file, and cut to a budget. Prints one JSON line.
//   node bench-sessions.mjs --peer=sluice --messages=100000 --rounds=7
// SLUICE_MODULE (or SLUICE_MODULE_NODE, ...): the root entry; the one of sessions is looked for beside it.
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { runtime } from "./lib/common.mjs";

const settings = Object.fromEntries(
  process.argv.slice(2).map((one) => one.replace(/^--/, "").split("=")),
);
const messages = Number(settings.messages ?? 100_000);
const rounds = Number(settings.rounds ?? 7);
const where = process.env[`SLUICE_MODULE_${runtime.toUpperCase()}`] ??
  process.env.SLUICE_MODULE;
const root = /^[a-z]{2,}:/.test(where)
  ? where
  : pathToFileURL(resolve(where)).href;
// The package has it beside the root entry, the source in its own folder.
const entry = root.endsWith(".ts")
  ? root.replace(/mod\.ts$/, "src/session/mod.ts")
  : root.replace(/mod\.js$/, "session.js");
const { loadSession, SessionStore, truncate } = await import(entry);

const TEXT = "x".repeat(120);
const chat = Array.from({ length: messages }, (_, at) => messageAt(at));
const folder = await mkdtemp(`${tmpdir()}/bench-sessions-`);
const path = (round) => `${folder}/s${round}.jsonl`;
const best = {
  append: Infinity,
  load: Infinity,
  plain: Infinity,
  truncate: Infinity,
};
const took = async (what, work) => {
  const began = performance.now();
  const result = await work();
  best[what] = Math.min(best[what], performance.now() - began);
  return result;
};
try {
  for (let round = 0; round < rounds; round++) {
    const store = new SessionStore(folder, { sync: "none" });
    const session = await store.create({ id: `s${round}` });
    await took("append", async () => {
      for (const message of chat) session.append(message);
      await store.flush();
    });
    await store.close();
    await took("plain", async () => {
      const text = await readFile(path(round), "utf8");
      for (const line of text.split("\n")) if (line !== "") JSON.parse(line);
    });
    const loaded = await took("load", () => loadSession(path(round)));
    if (loaded.messages.length !== messages) throw new Error("Some are lost");
    // Freshly loaded: what a message costs is remembered.
    const list = loaded.messages;
    await took("truncate", () => truncate(list, { maxTokens: messages * 20 }));
    await rm(path(round));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
console.log(JSON.stringify({
  bench: "sessions",
  runtime,
  ms: best.load,
  plainMs: best.plain,
  appendUs: best.append * 1000 / messages,
  loadTimes: best.load / best.plain,
  truncateMs: best.truncate,
}));
process.exit(0);

/** A question, a call, its result and an answer, again and again. */
function messageAt(at) {
  const id = `t${at - at % 4}`;
  const role = at % 2 === 0 ? "user" : "assistant";
  if (at % 4 === 1) {
    const input = { path: TEXT.slice(60) };
    return { role, content: [{ type: "tool_use", id, name: "Read", input }] };
  }
  if (at % 4 !== 2) return { role, content: TEXT };
  const content = [{ type: "tool_result", tool_use_id: id, content: TEXT }];
  return { role, content };
}
