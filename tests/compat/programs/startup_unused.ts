import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ startup }, place) => {
  const { options, print } = place;

  const warm = await startup({ options });
  warm.close();
  warm.close();
  try {
    warm.query("Late");
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
