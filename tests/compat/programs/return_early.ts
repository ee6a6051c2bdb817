import type { Model, Program } from "../_program.ts";

export const model: Model = ["Hi"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const run = query({ prompt: "Hi", options });
  print((await run.next()).done);
  print(await run.return());
  print(await run.next());
  try {
    await run.setModel("x");
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
