// `langsmith`: what it traces is sent nowhere.
import * as sdk from "@anthropic-ai/claude-agent-sdk";
import { wrapClaudeAgentSDK } from "langsmith/experimental/anthropic";
import process from "node:process";

const { CLI, PLACE } = process.env;
const { query } = wrapClaudeAgentSDK(sdk);
const options = { pathToClaudeCodeExecutable: CLI, ...JSON.parse(PLACE) };
const print = (...values) =>
  process.stdout.write(`${values.map(String).join(" ")}\n`);

const scenarios = {
  async traced() {
    for await (const message of query({ prompt: "Say hello", options })) {
      print(message.type);
    }
  },
  async interrupted() {
    const run = await query({
      prompt: "Count",
      options: { ...options, includePartialMessages: true },
    });
    print(typeof run.setModel, typeof run.accountInfo, typeof run.close);
    for await (const { type } of run) {
      if (type !== "stream_event") continue;
      await run.interrupt();
      break;
    }
    print("left");
  },
};
await scenarios[process.argv[2]]();
