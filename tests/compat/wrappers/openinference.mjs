// `@arizeai/openinference-instrumentation-claude-agent-sdk`, which patches packages by their versions.
import { ClaudeAgentSDKInstrumentation } from "@arizeai/openinference-instrumentation-claude-agent-sdk";
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-node";
import { createRequire } from "node:module";
import process from "node:process";

const exporter = new InMemorySpanExporter();
const tracerProvider = new NodeTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(exporter)],
});
new ClaudeAgentSDKInstrumentation({ tracerProvider });

// It patches what is required; its loader for imports fails with the official package too.
const require = createRequire(import.meta.url);
const { query } = require("@anthropic-ai/claude-agent-sdk");
const { CLI, PLACE } = process.env;
const options = { pathToClaudeCodeExecutable: CLI, ...JSON.parse(PLACE) };
const print = (...values) =>
  process.stdout.write(`${values.map(String).join(" ")}\n`);

for await (const { type } of query({ prompt: "Say hello", options })) {
  if (type === "result") print(type);
}
for (const { name, status } of exporter.getFinishedSpans()) {
  print(name, status.code);
}
