// Runs single test files on Node: `node scripts/node_test.mjs tests/x_test.ts [flags of node --test]`.
import { stop } from "esbuild";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compiledPath, writeNodeTree } from "./node_lane.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const flags = process.argv.slice(2).filter((one) => one.startsWith("--"));
const files = process.argv.slice(2).filter((one) => !one.startsWith("--"));
if (files.length === 0) {
  process.stderr.write("Usage: node scripts/node_test.mjs tests/x_test.ts\n");
  process.exit(64);
}

// Its own folder, so that two runs at once do not meet.
const folder = resolve(ROOT, ".lane", String(process.pid));
await mkdir(folder, { recursive: true });
try {
  await writeNodeTree(folder);
  stop();
  process.exitCode = await runTests();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function runTests() {
  const compiled = files
    .map((file) => relative(ROOT, resolve(file)).replaceAll("\\", "/"))
    .map((file) => resolve(folder, compiledPath(file)));
  const args = ["--enable-source-maps", "--test", ...flags, ...compiled];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code ?? 1;
}
