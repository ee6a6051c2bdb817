// Runs test files on Node: `node scripts/node_test.mjs tests/x_test.ts [flags of node]`.
//   --tree=FOLDER   a tree that stands; without files: writes it
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compiledPath, writeNodeTree } from "./test/node_lane.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));
const TREE = "--tree=";

const args = process.argv.slice(2);
const files = args.filter((one) => !one.startsWith("--"));
const given = args.find((one) => one.startsWith(TREE))?.slice(TREE.length);
const flags = args.filter((one) =>
  one.startsWith("--") && !one.startsWith(TREE)
);
if (files.length === 0 && given === undefined) {
  process.stderr.write("Usage: node scripts/node_test.mjs tests/x_test.ts\n");
  process.exit(64);
}

// Its own folder, so that two runs at once do not meet.
const folder = resolve(ROOT, given ?? `.lane/${process.pid}`);
try {
  if (given === undefined || files.length === 0) await writeNodeTree(folder);
  if (files.length > 0) process.exitCode = await runTests();
} finally {
  if (given === undefined) await rm(folder, { recursive: true, force: true });
}

async function runTests() {
  const compiled = files
    .map((file) => relative(ROOT, resolve(file)).replaceAll("\\", "/"))
    .map((file) => resolve(folder, compiledPath(file)));
  const part = resolve(ROOT, "scripts/test/part.mjs");
  const child = spawn(
    process.execPath,
    ["--enable-source-maps", "--test-reporter=spec", ...flags, part],
    {
      cwd: ROOT,
      stdio: "inherit",
      env: { ...process.env, SLUICE_TEST_FILES: JSON.stringify(compiled) },
    },
  );
  const [code] = await once(child, "exit");
  return code ?? 1;
}
