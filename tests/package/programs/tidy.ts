// A program that uses an agent.
import { type AgentOptions, query, toolUsesOf } from "@sluice/agent";

export interface Tidied {
  readonly summary: string;
  readonly commands: readonly string[];
  readonly refused: number;
}

/** Tidies up a folder, and deletes nothing. */
export async function tidy(options: AgentOptions = {}): Promise<Tidied> {
  const commands: string[] = [];
  const conversation = query("Tidy up this folder.", {
    ...options,
    permissions: {
      canUseTool: (_tool, { command }) =>
        String(command).startsWith("rm ")
          ? { behavior: "deny", message: "Nothing is deleted here." }
          : { behavior: "allow" },
    },
  });
  for await (const message of conversation) {
    for (const { input } of toolUsesOf(message)) {
      commands.push(String(input.command));
    }
  }
  const { permission_denials } = await conversation.result();
  return {
    summary: await conversation.text(),
    commands,
    refused: permission_denials.length,
  };
}
