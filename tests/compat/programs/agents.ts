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
  // The first request gets the first answer.
  ...new Array<string>(4).fill("Nothing here"),
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
  // It works beside the main agent: which of them speaks first is a matter of time.
  const scout: string[] = [];
  for await (
    const message of query({
      prompt: "Ask the scout",
      options: { ...options, agents, allowedTools: ["Agent"], extraArgs: {} },
    })
  ) {
    if (message.type === "assistant") {
      const kinds = message.message.content.map(({ type }) => type).join();
      if (message.parent_tool_use_id === null) print("main", kinds);
      else scout.push(kinds);
    }
    if (message.type === "result" && message.subtype === "success") {
      print(message.result);
    }
  }
  print("scout", scout.join());
};

export default program;
