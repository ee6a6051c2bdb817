import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ startup }, place) => {
  const { options, print } = place;

  const warm = await startup({ options });
  await warm[Symbol.asyncDispose]();
  try {
    warm.query("Late");
  } catch (error) {
    print((error as Error).message);
  }
  try {
    await startup({
      options: { ...options, extraArgs: { "no-such-flag": null } },
    });
  } catch (error) {
    print((error as Error).message.slice(0, 41));
  }
};

export default program;
