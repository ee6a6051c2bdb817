// Runs the pinned Deno through npx: a fresh clone needs Node and npm, nothing else.
import { spawn } from "node:child_process";
import process from "node:process";

const DENO = "deno@2.9.6";
const STOP_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

const child = spawn("npx", [
  "--prefer-offline",
  "-y",
  DENO,
  ...process.argv.slice(2),
], {
  stdio: "inherit",
  // npx is a .cmd file on Windows, which only a shell can start.
  shell: process.platform === "win32",
  env: {
    // Without it Deno trusts its own list alone and fails behind a private CA.
    DENO_TLS_CA_STORE: "mozilla,system",
    DENO_NO_UPDATE_CHECK: "1",
    // Errors alone: of what npm warns about, nothing concerns this repository.
    npm_config_loglevel: "error",
    ...process.env,
  },
});
for (const signal of STOP_SIGNALS) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  process.stderr.write(`Cannot start npx: ${error.message}\n`);
  process.exitCode = 1;
});
child.on("exit", (code, signal) => {
  process.exitCode = code ?? 1;
  if (signal !== null) process.stderr.write(`Deno ended by ${signal}\n`);
});
