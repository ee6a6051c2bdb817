// Runs the pinned Deno: a fresh clone needs Node and npm, nothing else.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import process from "node:process";

const DENO = "deno@2.9.6";
/** Path of the program that npx installed: to find it anew takes npx seconds. */
const NOTE = new URL(`../node_modules/.${DENO}`, import.meta.url);
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

const deno = notedDeno() ?? installDeno();
const child = spawn(deno, process.argv.slice(2), {
  stdio: "inherit",
  env: {
    // Without it Deno trusts its own list alone and fails behind a private CA.
    DENO_TLS_CA_STORE: "mozilla,system",
    DENO_NO_UPDATE_CHECK: "1",
    // Errors alone: of what npm warns about, nothing concerns this repository.
    npm_config_loglevel: "error",
    ...process.env,
    PATH: dirname(deno) + delimiter + process.env.PATH,
  },
});
for (const signal of STOP_SIGNALS) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  process.stderr.write(`Cannot start Deno: ${error.message}\n`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal !== null) process.stderr.write(`Deno ended by ${signal}\n`);
});

function notedDeno() {
  if (!existsSync(NOTE)) return undefined;
  const path = readFileSync(NOTE, "utf8");
  return existsSync(path) ? path : undefined;
}

function installDeno() {
  const args = ["--prefer-offline", "-y", DENO, "eval"];
  const { status, stdout, error } = spawnSync(
    "npx",
    [...args, "console.log(Deno.execPath())"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      encoding: "utf8",
      // npx is a .cmd file on Windows, which only a shell can start.
      shell: process.platform === "win32",
      env: { npm_config_loglevel: "error", ...process.env },
    },
  );
  const path = stdout?.trim();
  if (status !== 0 || !path) {
    process.stderr.write(
      `Cannot install ${DENO}: ${error?.message ?? "npx"}\n`,
    );
    process.exit(1);
  }
  mkdirSync(new URL("./", NOTE), { recursive: true });
  writeFileSync(NOTE, path);
  return path;
}
