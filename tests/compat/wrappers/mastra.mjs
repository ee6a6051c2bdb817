// `@mastra/claude`.
import { ClaudeSDKAgent } from "@mastra/claude";
import process from "node:process";

const { CLI, PLACE } = process.env;
const agent = new ClaudeSDKAgent({
  id: "helper",
  description: "Helps",
  sdkOptions: {
    pathToClaudeCodeExecutable: CLI,
    ...JSON.parse(PLACE),
    allowedTools: ["Bash"],
  },
});
const print = (...values) =>
  process.stdout.write(`${values.map(String).join(" ")}\n`);

const scenarios = {
  async generate() {
    const { text, usage, finishReason } = await agent.generate("Say hello");
    print(text, JSON.stringify(usage), finishReason);
  },
  async stream() {
    const { fullStream } = await agent.stream("Count");
    for await (const { type, payload } of fullStream) {
      print(type, payload?.text ?? payload?.toolName ?? "");
    }
  },
};
await scenarios[process.argv[2]]();
