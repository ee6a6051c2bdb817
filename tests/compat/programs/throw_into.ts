import type { Model, Program } from "../_program.ts";

export const model: Model = ["Hi"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const run = query({ prompt: "Hi", options });
  await run.next();
  try {
    await run.throw(new Error("mine"));
  } catch (error) {
    print((error as Error).message);
  }
  print((await run.next()).done);
};

export default program;
