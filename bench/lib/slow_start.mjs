// Takes its time before it serves, as something that is downloaded first.
import process from "node:process";
import { serve, text } from "../../tests/fixtures/mcp/_serve.mjs";

const [delayMs = "300"] = process.argv.slice(2);
setTimeout(() => {
  serve({
    "tools/list": () => ({
      tools: [{ name: "ready", inputSchema: { type: "object" } }],
    }),
    "tools/call": () => text("ready"),
  });
}, Number(delayMs));
