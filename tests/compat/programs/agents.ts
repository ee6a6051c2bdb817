import type { Model, Program } from "../_program.ts";

export const model: Model = [
  {
    tool: "Agent",
    input: {
      description: "look",
      prompt: "Look around",
      subagent_type: "scout",
    },
  },
  "Nothing here",
  "All clear",
  "Really all clear",
  "Nothing more",
];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const agents = {
    scout: {
      description: "Looks around",
      prompt: "You look around.",
      tools: ["Read"],
      model: "inherit",
    },
  };
  for await (
    const message of query({
      prompt: "Ask the scout",
      options: { ...options, agents, allowedTools: ["Agent"], extraArgs: {} },
    })
  ) {
    if (message.type === "assistant") {
      print(
        message.parent_tool_use_id === null ? "main" : "scout",
        message.message.content.map(({ type }) => type).join(),
      );
    }
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
};

export default program;
