import type { Model, Program } from "../_program.ts";

export const model: Model = ["Warm"];

const program: Program = async ({ startup }, place) => {
  const { options, print } = place;

  const warm = await startup({ options });
  const run = warm.query("Say hello");
  print((await run.supportedCommands()).length > 0);
  for await (const message of run) {
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
  try {
    warm.query("Again");
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
