// A program of the official SDK, by its name; it is compiled, not run.
import {
  createSdkMcpServer,
  type Options,
  query,
  type SDKMessage,
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
