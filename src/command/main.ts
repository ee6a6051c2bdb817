import type { Program } from "../runtime/program.ts";
import { screen } from "./screen.ts";
import { parse } from "./tree.ts";

/** Runs a command line; gives the exit code. */
export async function main(
  args?: readonly string[],
  self?: Program,
): Promise<number> {
  const on = screen(self);
  const words = args ?? on.program.args;
  try {
    return await parse(words, on);
  } catch (error) {
    const { tellError } = await import("./told_error.ts");
    return await tellError(error, on, words.includes("--json"));
  }
}
