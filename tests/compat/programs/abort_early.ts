import type { Differs, Model, Program } from "../_program.ts";

export const model: Model = ["never"];
export const differs: Differs = {
  parts: ["args", "stdin", "exits"],
  why: "aborted before the start, no CLI is started",
};

const program: Program = async ({ query, AbortError }, place) => {
  const { options, print } = place;

  const abortController = new AbortController();
  const run = query({
    prompt: "Wait",
    options: { ...options, abortController },
  });
  abortController.abort();
  try {
    for await (const _ of run);
    print("ended");
  } catch (error) {
    print(error instanceof AbortError, (error as Error).name);
  }
};

export default program;
