// A program that has the API's package, of any version; it is compiled, not run.
import type { SDKAssistantMessage } from "@anthropic-ai/claude-agent-sdk";
import type { BetaMessage } from "@anthropic-ai/sdk/resources/beta/messages/messages.mjs";

export function read({ message }: SDKAssistantMessage): BetaMessage {
  const installed: true = message.installed;
  return { installed };
}
