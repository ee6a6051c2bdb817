import process from "node:process";
import type { Differs, Model, Program } from "../_program.ts";

export const model: Model = [];

// Two CLIs start at once.
export const isUnordered = true;

export const differs: Differs = {
  parts: ["exits"],
  why: "the program is gone before its CLIs are: none stays behind",
};

const program: Program = async ({ prewarm, startup }, place) => {
  const { options, print } = place;
  const { cwd: _, ...anywhere } = options;

  await Promise.all([startup({ options }), prewarm({ options: anywhere })]);
  print("started");
  process.exit(0);
};

export default program;
