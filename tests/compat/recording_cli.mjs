#!/usr/bin/env node
// Stands before the real CLI: passes everything on, and notes its arguments, its input and its end.
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import process from "node:process";

const { REAL_CLI = "", CLI_RECORD = "" } = process.env;
const note = (entry) =>
  appendFileSync(CLI_RECORD, JSON.stringify(entry) + "\n");
const args = process.argv.slice(2);
note({ args });
const child = spawn(REAL_CLI, args, { stdio: ["pipe", "inherit", "inherit"] });
let held = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (text) => {
  child.stdin.write(text);
  const lines = (held + text).split("\n");
  held = lines.pop() ?? "";
  for (const line of lines) note({ line });
});
process.stdin.on("end", () => {
  note({ end: true });
  child.stdin.end();
});
child.stdin.on("error", () => {});
for (const signal of ["SIGTERM", "SIGINT"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("exit", (code, signal) => {
  note({ exit: code ?? signal });
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
