// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";

/** Results of handlers, by the names of their tools. */
const RESULTS: Readonly<Record<string, () => unknown>> = {
  nothing: () => undefined,
  nil: () => null,
  text: () => "Hello",
  number: () => 7,
  list: () => [{ type: "text", text: "Hello" }],
  empty: () => ({}),
  content_text: () => ({ content: "Hello" }),
  flag: () => ({ content: [], isError: "yes" }),
  throws_nothing: () => {
    throw undefined;
  },
  rejects_nothing: () => Promise.reject(undefined),
};

export const model: Model = [
  ...Object.keys(RESULTS).map((name) => ({ tool: `mcp__odd__${name}` })),
  "Done",
];

const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;
  const tools = Object.entries(RESULTS).map(([name, result]) =>
    tool(name, name, {}, async () => result() as never)
  );
  for await (
    const message of query({
      prompt: "Call",
      options: {
        ...options,
        mcpServers: { odd: createSdkMcpServer({ name: "odd", tools }) },
        allowedTools: ["mcp__odd"],
      },
    })
  ) {
    if (message.type !== "user") continue;
    const [block] = message.message.content;
    if (typeof block === "object" && block.type === "tool_result") {
      print(block.is_error ?? false, block.content);
    }
  }
};

export default program;
