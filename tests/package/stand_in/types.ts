// A program of the official SDK, by its name; it is compiled, not run.
import {
  createSdkMcpServer,
  type Options,
  query,
  type SDKAssistantMessage,
  type SDKMessage,
  type SDKUserMessage,
} from "@anthropic-ai/claude-agent-sdk";
import type { SessionState } from "@anthropic-ai/claude-agent-sdk/bridge";
import { query as coreQuery } from "@anthropic-ai/claude-agent-sdk/core";
import type {
  BashInput,
  BashOutput,
  ToolInputSchemas,
} from "@anthropic-ai/claude-agent-sdk/sdk-tools";

const options: Options = {
  mcpServers: { none: createSdkMcpServer({ name: "none" }) },
};
const input: BashInput = { command: "ls" };
export const all: ToolInputSchemas[] = [input];
export const state: SessionState = "idle";
export const run: AsyncIterable<SDKMessage> = query({ prompt: "Hi", options });
export const same: typeof coreQuery = query;
export function printed(output: BashOutput): string {
  return output["stdout"];
}

// The API's package is not installed, and messages are typed all the same.
export function texts({ message }: SDKAssistantMessage): string[] {
  return message.content.map((one) => one.type === "text" ? one.text : "");
}
export const prompt: SDKUserMessage = {
  type: "user",
  // @ts-expect-error -- a number is no content
  message: { role: "user", content: 1 },
  parent_tool_use_id: null,
};
