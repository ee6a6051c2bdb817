// A CLI that says it is working, and gives a result once the model is set.
import { createInterface } from "node:readline";
import process from "node:process";

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { type, request, request_id } = JSON.parse(line);
  if (type === "user") say({ type: "system", subtype: "working" });
  if (type !== "control_request") continue;
  const response = { subtype: "success", request_id, response: {} };
  say({ type: "control_response", response });
  if (request.subtype !== "set_model") continue;
  say({ type: "result", subtype: "success", result: "done", is_error: false });
}
