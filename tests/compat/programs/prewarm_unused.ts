import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ prewarm }, place) => {
  const { options: { cwd, ...options }, print } = place;

  const spare = await prewarm({ options });
  spare.close();
  spare.close();
  try {
    spare.claim({ prompt: "Late", options: { cwd } });
  } catch (error) {
    print((error as Error).message.split(":")[0]);
  }
  await spare.claimed.catch((error) => print(error.message.split(":")[0]));
  await spare.exited;

  const other = await prewarm({ options });
  await other[Symbol.asyncDispose]();
  await other.exited;
  try {
    await prewarm({ options: { ...options, resume: "x" } });
  } catch (error) {
    print((error as Error).message.split(":")[0]);
  }
  print("done");
};

export default program;
