// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type {
  HookCallback,
  HookInput,
  Model,
  Program,
  SyncHookJSONOutput,
} from "../_program.ts";

export const model: Model = [
  { tool: "Write", input: { file_path: ".env", content: "KEY=1" } },
  { tool: "Write", input: { file_path: "notes.txt", content: "x" } },
  { tool: "Bash", input: { command: "cat notes.txt", description: "read" } },
  "Done",
];

/** Protects files, changes what is written, adds context behind a tool, and refuses a prompt. */
const program: Program = async ({ query }, place) => {
  const { options, print } = place;
  const seen: string[] = [];
  const protect: HookCallback = async (input) => {
    if (input.hook_event_name !== "PreToolUse") return {};
    const { file_path, content } = input.tool_input as Record<string, string>;
    if (file_path?.endsWith(".env")) {
      return {
        systemMessage: "Secrets stay out of files",
        hookSpecificOutput: {
          hookEventName: input.hook_event_name,
          permissionDecision: "deny",
          permissionDecisionReason: "Cannot modify .env files",
        },
      };
    }
    return {
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "allow",
        updatedInput: { file_path, content: `${content}, and more` },
      },
    };
  };
  const log = async (
    input: HookInput,
    toolUseID: string | undefined,
  ): Promise<SyncHookJSONOutput> => {
    seen.push(`${input.hook_event_name} ${typeof toolUseID}`);
    return {};
  };
  const after: HookCallback = async () => ({
    hookSpecificOutput: {
      hookEventName: "PostToolUse",
      additionalContext: "Mind the tea",
    },
  });
  const refuse: HookCallback = async (input) =>
    input.hook_event_name === "UserPromptSubmit" &&
      input.prompt.includes("password")
      ? { decision: "block", reason: "No passwords here" }
      : {};
  for (const prompt of ["Write the notes", "My password is tea"]) {
    for await (
      const message of query({
        prompt,
        options: {
          ...options,
          allowedTools: ["Bash(cat:*)"],
          hooks: {
            PreToolUse: [
              { matcher: "Write|Edit", hooks: [protect, log], timeout: 30 },
              { hooks: [log] },
            ],
            PostToolUse: [{ matcher: "^Bash$", hooks: [after] }],
            PostToolUseFailure: [{ hooks: [log] }],
            UserPromptSubmit: [{ hooks: [refuse, log] }],
            SessionEnd: [{ hooks: [log] }],
          },
        },
      })
    ) {
      if (message.type === "user" && Array.isArray(message.message.content)) {
        print(message.message.content);
      }
      if (message.type === "system" && message.subtype === "informational") {
        print(message.content);
      }
      if (message.type === "result") {
        print(message.subtype, "result" in message && message.result);
      }
    }
  }
  print(seen.sort());
};

export default program;
export const isUnordered: boolean = true;
