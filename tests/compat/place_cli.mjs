// A CLI whose result tells with which key and in which directory it runs.
import { createInterface } from "node:readline";
import process from "node:process";

const say = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id } = JSON.parse(line);
  const response = { subtype: "success", request_id, response: {} };
  if (type === "control_request") say({ type: "control_response", response });
  if (type !== "user") continue;
  const result = `${process.env.TENANT_KEY} in ${process.cwd()}`;
  say({ type: "result", subtype: "success", result, is_error: false });
}
