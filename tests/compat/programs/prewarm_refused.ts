import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ prewarm }, place) => {
  const { options: { cwd, ...options }, print } = place;

  const spare = await prewarm({ options });
  try {
    spare.claim({
      prompt: "Hi",
      options: { cwd, settings: { disableAllHooks: true } },
    });
  } catch (error) {
    print((error as Error).message.split(":")[0]);
  }
  const run = spare.claim({
    prompt: "Hi",
    options: { cwd: `${cwd}/not/there` },
  });
  try {
    await spare.claimed;
    print("claimed");
  } catch (error) {
    print("refused", (error as Error).message.split(":")[0]);
  }
  try {
    for await (const message of run) print(message.type);
    print("ended");
  } catch (error) {
    print((error as Error).message.split(":")[0]);
  }
};

export default program;
