// A CLI whose result comes late or whose pipes close early, as the variable LATE says.
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { createInterface } from "node:readline";
import process from "node:process";

const say = (message) => writeSync(1, `${JSON.stringify(message)}\n`);
const result = () =>
  say({ type: "result", subtype: "success", result: "late", is_error: false });
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Behaviour after the prompt, by name. */
const WAYS = {
  /** A process below it has the result, and it exits before. */
  async below(code) {
    const child = spawn(process.execPath, [process.argv[1]], {
      env: { ...process.env, LATE: "child" },
      stdio: ["pipe", "inherit", "ignore"],
    });
    await new Promise((resolve) => child.once("spawn", resolve));
    process.exit(Number(code));
  },
  /** A process below it writes something else for ever after its result. */
  async chatter() {
    result();
    const child = spawn(process.execPath, [process.argv[1]], {
      env: { ...process.env, LATE: "chatterer" },
      stdio: ["ignore", "inherit", "ignore"],
    });
    await new Promise((resolve) => child.once("spawn", resolve));
    process.exit(0);
  },
  /** Its input is closed, and its result comes after a question that cannot be answered. */
  async deaf() {
    closeSync(0);
    const request = { subtype: "can_use_tool", tool_name: "Bash", input: {} };
    say({ type: "control_request", request_id: "q1", request });
    await later(2_000);
    result();
    process.exit(0);
  },
  /** Its output is closed after the result, and it fails a second later. */
  async mute() {
    result();
    closeSync(1);
    await later(1_000);
    process.exit(3);
  },
};

const [way, detail] = (process.env.LATE ?? "").split(":");
if (way === "child") {
  // The exit of the other one ends the pipe to it.
  await new Promise((resolve) => process.stdin.once("end", resolve).resume());
  await later(700);
  result();
} else if (way === "chatterer") {
  for (;;) {
    writeSync(1, "still here\n");
    await later(200);
  }
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const { type, request_id } = JSON.parse(line);
    const response = { subtype: "success", request_id, response: {} };
    if (type === "control_request") say({ type: "control_response", response });
    if (type === "user") void WAYS[way](detail);
  }
}
