// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, SDKUserMessage } from "../_program.ts";
import { readFileSync, writeFileSync } from "node:fs";

export const model: Model = [{
  tool: "Write",
  input: { file_path: "a.txt", content: "new" },
}, "Written"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const path = `${options.cwd}/a.txt`;
  writeFileSync(path, "old");
  let end = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    yield {
      type: "user",
      message: { role: "user", content: "Write" },
      parent_tool_use_id: null,
      uuid: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b12",
    };
    await new Promise<void>((resolve) => end = resolve);
  }
  const run = query({
    prompt: prompts(),
    options: {
      ...options,
      enableFileCheckpointing: true,
      permissionMode: "acceptEdits",
      canUseTool: async (_name, updatedInput) => ({
        behavior: "allow",
        updatedInput,
      }),
    },
  });
  for await (const message of run) {
    if (message.type !== "result") continue;
    print(
      Object.keys(
        await run.rewindFiles("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b12", {
          dryRun: true,
        }),
      ).sort().join(" "),
    );
    print(readFileSync(path, "utf8"));
    end();
  }
};

export default program;
