import type { Model, Program, SDKMessage } from "../_program.ts";

export const model: Model = [
  {
    tool: "TodoWrite",
    input: {
      todos: [{ content: "a", status: "in_progress", activeForm: "Doing a" }],
    },
  },
  "First",
  { text: "Second hangs", hang: true },
];

/** A runner with a clock: what it cost is added up once for each message, and the clock ends a run that takes too long. */
const program: Program = async ({ query }, { options, print }) => {
  const seen = new Set<string>();
  const tokens = { input: 0, output: 0 };
  const count = (message: SDKMessage) => {
    if (message.type !== "assistant" || !message.message.usage) return;
    if (seen.has(message.message.id)) return;
    seen.add(message.message.id);
    tokens.input += message.message.usage.input_tokens;
    tokens.output += message.message.usage.output_tokens;
  };
  for await (
    const message of query({ prompt: "First", options: { ...options } })
  ) {
    count(message);
    if (message.type === "assistant") {
      for (const block of message.message.content) {
        if (block.type === "tool_use" && block.name === "TodoWrite") {
          const { todos } = block.input as { todos: { content: string }[] };
          print(todos.map(({ content }) => content));
        }
      }
    }
    if ("result" in message) print(message.result, message.total_cost_usd > 0);
  }
  print(seen.size, tokens);

  const q = query({
    prompt: "Second",
    options: { ...options, includePartialMessages: true },
  });
  let clock: ReturnType<typeof setTimeout> | undefined;
  let ended = Promise.resolve("not called");
  try {
    for await (const message of q) {
      if (message.type === "stream_event" && clock === undefined) {
        clock = setTimeout(() => {
          ended = Promise.resolve(q.return?.(undefined)).then(
            (last) => `returned ${last?.done}`,
            (error) => `threw ${error}`,
          );
        }, 300);
      }
    }
    print("loop ended");
  } catch (error) {
    print("loop threw", (error as Error).message);
  } finally {
    clearTimeout(clock);
  }
  print(
    await Promise.race([
      ended,
      new Promise((resolve) => setTimeout(resolve, 5_000, "still waiting")),
    ]),
  );
  print(await q.next());
};

export default program;
