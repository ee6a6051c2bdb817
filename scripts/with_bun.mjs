// Runs the pinned Bun: `node scripts/with_bun.mjs test ./tests/x_test.ts`.
import { spawnSync } from "node:child_process";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { installPackages } from "./install/packages.mjs";

installPackages();
const bin = fileURLToPath(new URL("../node_modules/bun/bin/", import.meta.url));
const { status, error } = spawnSync(
  `${bin}bun.exe`,
  process.argv.slice(2),
  { stdio: "inherit" },
);
if (error !== undefined) throw error;
process.exit(status ?? 1);
