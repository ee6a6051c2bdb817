import type { Model, Program } from "../_program.ts";

export const model: Model = [{
  error: { status: 400, type: "invalid_request_error", message: "too odd" },
}];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  try {
    for await (const message of query({ prompt: "Go", options })) {
      if (message.type === "result") print(message.subtype, message.is_error);
    }
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
