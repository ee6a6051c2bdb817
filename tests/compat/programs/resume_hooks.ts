import type { Differs, Model, Program } from "../_program.ts";

export const model: Model = [
  "First",
  { tool: "Bash", input: { command: "echo one" } },
  { tool: "mcp__echo__echo", input: { message: "two" } },
  "Second",
];

export const differs: Differs = {
  parts: ["args"],
  why:
    "a resumed CLI gets --await-initialize, so that hooks decide about a deferred call",
};

/** Hooks that are called at each start, and between start and tools. */
const EVENTS = [
  "SessionStart",
  "UserPromptSubmit",
  "PreToolUse",
  "PostToolUse",
  "Stop",
] as const;

const program: Program = async ({ query }, place) => {
  const { options, print, stdioServer } = place;

  const seen: string[] = [];
  const hooks = Object.fromEntries(EVENTS.map((event) => [
    event,
    [{
      hooks: [(input: { hook_event_name: string; source?: string }) => {
        seen.push(`${event} ${input.source ?? ""}`);
        return Promise.resolve({});
      }],
    }],
  ]));
  let id = "";
  for await (const message of query({ prompt: "One", options })) {
    if (message.type === "result") id = message.session_id;
  }
  for await (
    const message of query({
      prompt: "Go on",
      options: {
        ...options,
        resume: id,
        hooks,
        mcpServers: { echo: stdioServer },
        allowedTools: ["Bash", "mcp__echo"],
        permissionMode: "acceptEdits",
        includeHookEvents: true,
      },
    })
  ) {
    if (message.type === "system" && message.subtype === "init") {
      const { tools, mcp_servers, permissionMode } = message;
      print(tools.includes("mcp__echo__echo"), mcp_servers, permissionMode);
    } else if (message.type === "result") {
      print(message.subtype, message.num_turns, message.session_id === id);
    } else {
      print(message.type, "subtype" in message ? message.subtype : "");
    }
  }
  print(seen);
};

export default program;
