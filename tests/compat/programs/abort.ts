import type { Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "sleep 60", description: "wait" },
}, "never"];

const program: Program = async ({ query, AbortError }, place) => {
  const { options, print } = place;

  const abortController = new AbortController();
  try {
    for await (
      const message of query({
        prompt: "Wait",
        options: { ...options, abortController, allowedTools: ["Bash"] },
      })
    ) {
      if (message.type === "assistant") abortController.abort();
    }
    print("ended");
  } catch (error) {
    print(error instanceof AbortError, (error as Error).name);
  }
};

export default program;
