import type { Differs, Model, Program } from "../_program.ts";

export const differs: Differs = {
  parts: ["exits"],
  why:
    "a program that ends waits for the CLI to end by itself, and does not kill it",
};
export const model: Model = ["Hi"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const run = query({ prompt: "Hi", options });
  print((await run.next()).done);
  run.close();
  let more = 0;
  for await (const _ of run) more++;
  print("ended", more < 9);
};

export default program;
