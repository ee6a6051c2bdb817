import type { Model, Program } from "../_program.ts";

export const model: Model = ["ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const run = query({
    prompt: "Hi",
    options: {
      ...options,
      model: "claude-opus-4-8",
      fallbackModel: "claude-sonnet-4-8",
      maxTurns: 3,
      maxBudgetUsd: 2.5,
      effort: "low",
      thinking: { type: "enabled", budgetTokens: 2048 },
      additionalDirectories: ["/tmp"],
      allowedTools: ["Read", "Bash(ls:*)"],
      disallowedTools: ["WebFetch"],
      tools: ["Read", "Bash"],
      permissionMode: "acceptEdits",
      settingSources: [],
      strictMcpConfig: true,
      includeHookEvents: true,
      sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
      title: "A title",
      settings: { cleanupPeriodDays: 7 },
      extraArgs: { "debug-to-stderr": null },
    },
  });
  for await (const message of run) {
    if (message.type === "system" && message.subtype === "init") {
      print(
        message.model,
        message.permissionMode,
        message.tools.filter((name) => !name.startsWith("mcp__")).sort().join(
          " ",
        ),
      );
    }
    if (message.type === "result") print(message.subtype, message.session_id);
  }
};

export default program;
