// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  for (
    const more of [
      { model: "a", fallbackModel: "a" },
      { mcpServersDelivery: "pigeon" as "argv" },
      { supportedDialogKinds: ["x"] },
      { permissionPromptToolName: "a", canUseTool: async () => null },
    ]
  ) {
    try {
      query({ prompt: "Go", options: { ...options, ...more } });
      print("taken");
    } catch (error) {
      print((error as Error).message.split(/[.:] | -- /)[0]);
    }
  }
};

export default program;
