// A package that imports the official SDK by its name, installed by another package.
export { query } from "@anthropic-ai/claude-agent-sdk";
export { attachBridgeSession } from "@anthropic-ai/claude-agent-sdk/bridge";
export * as browser from "@anthropic-ai/claude-agent-sdk/browser";
export * as core from "@anthropic-ai/claude-agent-sdk/core";
export * as extract from "@anthropic-ai/claude-agent-sdk/extract";
export * as tools from "@anthropic-ai/claude-agent-sdk/sdk-tools";
