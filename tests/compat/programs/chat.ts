// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, SDKUserMessage } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  "Hello",
  { tool: "mcp__notes__save", input: { text: "milk" } },
  "Saved",
  { tool: "mcp__notes__list", input: {} },
  "Milk",
];
export const isUnordered: boolean = true;

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;

  // A small program: notes by chat, one session, tools of its own, a permission for each note.
  const notes: string[] = [];
  const server = createSdkMcpServer({
    name: "notes",
    tools: [
      tool("save", "Saves a note", { text: z.string() }, async ({ text }) => {
        notes.push(text);
        return { content: [{ type: "text", text: `saved ${notes.length}` }] };
      }),
      tool("list", "Lists the notes", {}, async () => ({
        content: notes.map((text) => ({ type: "text" as const, text })),
      })),
    ],
  });
  const queue = ["Hi", "Save milk", "What do I need?"];
  let next = () => {};
  async function* prompts(): AsyncGenerator<SDKUserMessage> {
    for (const content of queue) {
      const answered = new Promise<void>((resolve) => next = resolve);
      yield {
        type: "user",
        message: { role: "user", content },
        parent_tool_use_id: null,
      };
      await answered;
    }
  }
  const asked: string[] = [];
  const run = query({
    prompt: prompts(),
    options: {
      ...options,
      mcpServers: { notes: server },
      canUseTool: async (name, updatedInput) => {
        asked.push(name);
        return { behavior: "allow", updatedInput };
      },
      hooks: {
        PostToolUse: [{ matcher: "mcp__notes__.*", hooks: [async () => ({})] }],
      },
    },
  });
  let turns = 0;
  for await (const message of run) {
    switch (message.type) {
      case "assistant":
        for (const block of message.message.content) {
          if (block.type === "text") print("agent:", block.text);
          if (block.type === "tool_use") {
            print("calls:", block.name, block.input);
          }
        }
        break;
      case "result":
        print("turn", ++turns, message.subtype);
        next();
        break;
    }
  }
  print(notes, asked);
};

export default program;
