import type { Model, Program } from "../_program.ts";

export const model: Model = ["Warm"];

const program: Program = async ({ prewarm }, place) => {
  const { options: { cwd, ...options }, print } = place;

  const spare = await prewarm({ options });
  const run = spare.claim({
    prompt: "Say hello",
    options: { cwd, model: "claude-haiku-4-8", title: "Greeting" },
  });
  const { cwd: there, sessionId, sdkMcpSettled } = await spare.claimed;
  print(there, sessionId, sdkMcpSettled);
  for await (const message of run) {
    if (message.type === "system" && message.subtype === "init") {
      print(message.cwd, message.model);
    }
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
  await spare.exited;
  try {
    spare.claim({ prompt: "Again", options: { cwd } });
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
