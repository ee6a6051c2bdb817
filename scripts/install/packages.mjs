// deno-lint-ignore-file explicit-module-boundary-types -- JavaScript, because Node runs it before Deno is there
// The packages of deno.json, for scripts that run before or without `npm test`.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import process from "node:process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Installs the packages of deno.json unless they are there. */
export function installPackages() {
  if (existsSync(`${ROOT}node_modules/bun`)) return;
  process.stderr.write(
    "Installing dependencies into node_modules/ (about 440 MB, once)\n",
  );
  const args = ["scripts/with_deno.mjs", "install", "--frozen", "--quiet"];
  const { status } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) process.exit(status ?? 1);
}
