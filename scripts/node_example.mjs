// Runs an example on Node: `node scripts/node_example.mjs examples/streaming.ts`.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { relative, resolve } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { compiledPath, writeNodeTree } from "./test/node_lane.mjs";

const ROOT = fileURLToPath(new URL("../", import.meta.url));

const [example, ...args] = process.argv.slice(2);
if (example === undefined) {
  process.stderr.write(
    "Usage: node scripts/node_example.mjs examples/streaming.ts\n",
  );
  process.exit(64);
}

// Its own folder, so that two runs at once do not meet.
const folder = resolve(ROOT, ".lane", String(process.pid));
try {
  await writeNodeTree(folder);
  const path = relative(ROOT, resolve(example)).replaceAll("\\", "/");
  const program = resolve(folder, compiledPath(path));
  const flags = ["--enable-source-maps", program, ...args];
  const child = spawn(process.execPath, flags, { stdio: "inherit" });
  const [code] = await once(child, "exit");
  process.exitCode = code ?? 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
