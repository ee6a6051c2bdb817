import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = ["ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  let end = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield {
      type: "user",
      message: { role: "user", content: "Hi" },
      parent_tool_use_id: null,
    };
    await new Promise<void>((resolve) => end = resolve);
  }
  const run = query({ prompt: prompts(), options });
  for await (const message of run) {
    if (message.type !== "result") continue;

    await run.setModel("claude-haiku-4-8");
    await run.setPermissionMode("plan");
    await run.setMaxThinkingTokens(1024);
    print(Object.keys(await run.initializationResult()).includes("commands"));
    print(
      (await run.supportedCommands()).length > 0,
      (await run.supportedModels()).length > 0,
      (await run.supportedAgents()).length > 0,
    );
    print(await run.accountInfo());
    print(await run.mcpServerStatus());
    print(Object.keys(await run.getContextUsage()).sort().join(" "));
    end();
  }
};

export default program;
