// deno-lint-ignore-file no-console -- prints its result
// Counts the files of MCP that are loaded when a query() without any MCP server
// has ended, and prints one JSON line. Needs the fake CLI, see lib/common.mjs.
//   node bench-loaded.mjs --peer=sluice
// SLUICE_MODULE and SLUICE_MCP (or SLUICE_MODULE_NODE, ...): the entries.
import process from "node:process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { FAKE, runtime } from "./lib/common.mjs";
import { SCENARIOS } from "./lib/scenarios.mjs";
import * as peer from "./peers/sluice.mjs";

const conversation = peer.open({
  cli: FAKE,
  env: { FAKECLI: SCENARIOS.start },
  cwd: process.cwd(),
  prompt: "hi",
});
for await (const _ of conversation.messages);
await conversation.close();

const list = await lister();
const before = list();
const of = before.filter(isOfMcp);
// An empty result counts only if the search can find something.
const where = process.env[`SLUICE_MCP_${runtime.toUpperCase()}`] ??
  process.env.SLUICE_MCP;
await import(
  /^[a-z]{2,}:/.test(where) ? where : pathToFileURL(resolve(where)).href
);
if (list().filter(isOfMcp).length === 0) {
  throw new Error("Cannot tell which files are of MCP");
}
console.log(JSON.stringify({
  bench: "loaded",
  runtime,
  loaded: before.length,
  ofMcp: of.length,
  ...(of.length > 0 && { names: of }),
}));
process.exit(0);

/** A function that lists the files that are loaded by now. */
async function lister() {
  if (runtime === "bun") {
    const { cache } = createRequire(import.meta.url);
    return () => Object.keys(cache);
  }
  const { Session } = await import("node:inspector");
  const urls = new Set();
  const session = new Session();
  session.connect();
  session.on("Debugger.scriptParsed", ({ params }) => urls.add(params.url));
  // It tells of the scripts so far, and of each one that comes.
  await new Promise((done) => session.post("Debugger.enable", done));
  return () =>
    [...urls].filter((url) => url.startsWith("file:")).map(fileURLToPath);
}

/**
 * By its path in the sources; in the built package, whose files have other names, by what it says. `tools/call` would tell
 * nothing: what an agent is doing is read off such requests.
 */
function isOfMcp(path) {
  if (/[\\/](src[\\/]mcp|@modelcontextprotocol)[\\/]/.test(path)) return true;
  return /[\\/]npm[\\/][^\\/]+\.js$/.test(path) &&
    /"tools\/list"|"@modelcontextprotocol/.test(
      // A long line continues after a backslash.
      readFileSync(path, "utf8").replaceAll("\\\n", ""),
    );
}
