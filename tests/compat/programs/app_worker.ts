// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, SDKUserMessage } from "../_program.ts";
import { z } from "zod";

export const model: Model = [
  {
    text: "One question. ",
    tool: "mcp__board__ask_user",
    input: { question: "Which one?", options: [{ label: "A" }] },
  },
  { tool: "Bash", input: { command: "echo one > one.txt", description: "w" } },
  { tool: "Bash", input: { command: "echo two > two.txt", description: "w" } },
  "Both are there",
  { tool: "Write", input: { file_path: "three.txt", content: "3" } },
  { text: "And now something that takes long", chunks: 4, hang: true },
];
export const isUnordered: boolean = true;

/** A queue that is read as an iterable. */
function queueOf<T>() {
  const items: T[] = [];
  let wake = () => {};
  let isOver = false;
  return {
    push(item: T) {
      items.push(item);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = items.shift();
        if (item !== undefined) yield item;
        else if (isOver) return;
        else await new Promise<void>((resolve) => wake = resolve);
      }
    },
  };
}

/** A task on a board: a session that stays, questions to a person, follow-ups, and a button that stops it. */
const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;
  const input = queueOf<SDKUserMessage>();
  const say = (text: string) =>
    input.push(
      {
        type: "user",
        message: { role: "user", content: text },
        parent_tool_use_id: null,
        session_id: "",
      } as SDKUserMessage,
    );
  const always = new Set<string>();
  const asked: string[] = [];
  const answers = ["B, please", "Always allow Bash", "Deny"];
  const askPerson = async (text: string) => {
    const answer = answers.shift() ?? "";
    // Told with the turn: a question may overtake the message of its call.
    asked.push(`${text} -> ${answer}`);
    return answer;
  };
  const askUser = tool(
    "ask_user",
    "Asks the person at the board.",
    {
      question: z.string().describe("The question"),
      options: z.array(z.object({
        label: z.string().describe("Short"),
        description: z.string().optional(),
      })).optional(),
    },
    async (args) => ({
      content: [{ type: "text", text: await askPerson(args.question) }],
    }),
  );
  say("Go");
  const session = query({
    prompt: input,
    options: {
      ...options,
      permissionMode: "default",
      systemPrompt: {
        type: "preset",
        preset: "claude_code",
        append: "You work for a board.",
      },
      mcpServers: {
        board: createSdkMcpServer({
          name: "board",
          version: "1.0.0",
          tools: [askUser],
        }),
      },
      allowedTools: ["mcp__board__ask_user"],
      disallowedTools: ["AskUserQuestion"],
      includePartialMessages: true,
      canUseTool: async (name, toolInput) => {
        if (always.has(name)) {
          return { behavior: "allow", updatedInput: toolInput };
        }
        const answer = await askPerson(`run ${name}`);
        if (answer === "Deny") {
          return { behavior: "deny", message: "Not that. Find another way." };
        }
        if (answer.startsWith("Always")) always.add(name);
        return { behavior: "allow", updatedInput: toolInput };
      },
    },
  });
  let turns = 0;
  let text = "";
  const stop = async () => {
    try {
      print("interrupted", await session.interrupt());
    } catch (error) {
      print("gone", String(error));
    }
    input.end();
  };
  try {
    for await (const message of session) {
      if (message.type === "stream_event") {
        const { event } = message;
        if (event.type !== "content_block_delta") continue;
        if (event.delta.type === "text_delta") text += event.delta.text;
        if (turns === 1 && text.includes("takes")) {
          text = "";
          void stop();
        }
      } else if (message.type === "assistant") {
        for (const block of message.message.content) {
          if (block.type === "tool_use") print("calls", block.name);
        }
      } else if (message.type === "result") {
        turns++;
        for (const line of asked.splice(0)) print("asked", line);
        print("turn", turns, message.subtype, message.is_error);
        print(message.num_turns, message.permission_denials.length);
        if (turns === 1) say("Once more");
      }
    }
  } catch (error) {
    print("session error", String(error));
  }
  print("over", [...always]);
};

export default program;
