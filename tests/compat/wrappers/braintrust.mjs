// `braintrust`: its hook by the loader, and its wrapper by hand; what they trace is sent nowhere.
import * as sdk from "@anthropic-ai/claude-agent-sdk";
import { wrapClaudeAgentSDK } from "braintrust";
import process from "node:process";

const { CLI, PLACE } = process.env;
const { query } = wrapClaudeAgentSDK(sdk);
const options = { pathToClaudeCodeExecutable: CLI, ...JSON.parse(PLACE) };
process.on("warning", ({ message }) => process.stdout.write(`${message}\n`));
for await (const { type } of query({ prompt: "Say hello", options })) {
  process.stdout.write(`${type}\n`);
}
