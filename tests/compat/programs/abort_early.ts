import type { Model, Program } from "../_program.ts";

export const model: Model = ["never"];
export const isUnordered = true;

const program: Program = async ({ query, AbortError }, place) => {
  const { options, print } = place;

  const abortController = new AbortController();
  const run = query({
    prompt: "Wait",
    options: { ...options, abortController },
  });
  abortController.abort();
  try {
    for await (const message of run) print(message.type);
    print("ended");
  } catch (error) {
    print(error instanceof AbortError, (error as Error).name);
  }
};

export default program;
