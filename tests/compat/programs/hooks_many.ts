// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { HookCallback, Model, Program } from "../_program.ts";

export const model: Model = [{
  tool: "Bash",
  input: { command: "echo hi", description: "say" },
}, "Done"];
export const isUnordered: boolean = true;

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const seen: string[] = [];
  const note: HookCallback = async (input) => {
    seen.push(input.hook_event_name);
    return {};
  };
  const all = [{ hooks: [note] }];
  const hooks = {
    PreToolUse: all,
    PostToolUse: all,
    UserPromptSubmit: all,
    Stop: all,
    SessionStart: all,
  };
  for await (
    const message of query({
      prompt: "Go",
      options: { ...options, hooks, allowedTools: ["Bash"] },
    })
  ) {
    if (message.type === "result") print(message.subtype);
  }
  print(seen.sort().join(" "));
};

export default program;
