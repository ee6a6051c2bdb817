// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program, Sdk } from "../_program.ts";
import { z } from "zod";

type Options = NonNullable<Parameters<Sdk["query"]>[0]["options"]>;

export const model: Model = [
  { tool: "mcp__lib__search", input: { query: "tea", limit: 0 } },
  { tool: "mcp__lib__search", input: { query: "tea" } },
  { tool: "Bash", input: { command: "ls", description: "looks" } },
  {
    text: "Here. ",
    tool: "StructuredOutput",
    input: { report: "Tea", citations: [{ title: "T", url: "https://t" }] },
  },
  "Done",
];

const SCHEMA = {
  type: "object",
  additionalProperties: false,
  required: ["report", "citations"],
  properties: {
    report: { type: "string", description: "Markdown" },
    citations: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["title", "url"],
        properties: { title: { type: "string" }, url: { type: "string" } },
      },
    },
  },
};
const Report = z.object({
  report: z.string(),
  citations: z.array(z.object({ title: z.string(), url: z.string() })),
});

/** A job on a server: no built-in tools, nothing asked, an answer by schema, messages read as unknown. */
const program: Program = async ({ query, tool, createSdkMcpServer }, place) => {
  const { options, print } = place;
  const abortController = new AbortController();
  const timer = setTimeout(() => abortController.abort(), 80_000);
  const search = tool(
    "search",
    "Searches the library",
    {
      query: z.string().min(1),
      limit: z.number().int().min(1).max(20).default(5),
      since: z.string().regex(/^\d{4}$/).optional(),
    },
    async ({ query: words, limit, since }) => {
      print("search", words, limit, since);
      if (words === "") throw new Error("empty");
      return {
        content: [{ type: "text", text: JSON.stringify([{ title: "T" }]) }],
        structuredContent: { found: 1 },
      };
    },
    { annotations: { readOnlyHint: true, openWorldHint: true } },
  );
  const all: Options = {
    ...options,
    abortController,
    model: "claude-sonnet-4-5",
    maxTurns: 8,
    systemPrompt: "You write reports.",
    tools: [],
    allowedTools: ["mcp__lib__search"],
    disallowedTools: ["Bash", "Read", "Write", "Edit", "WebFetch", "Task"],
    permissionMode: "dontAsk",
    mcpServers: { lib: createSdkMcpServer({ name: "lib", tools: [search] }) },
    strictMcpConfig: true,
    settingSources: [],
    persistSession: false,
    includePartialMessages: true,
    outputFormat: { type: "json_schema", schema: SCHEMA },
    stderr: () => {},
  };
  let streamed = "";
  try {
    for await (const raw of query({ prompt: "Report on tea", options: all })) {
      const message = raw as unknown as Record<string, unknown>;
      if (message["parent_tool_use_id"] != null) continue;
      switch (message["type"]) {
        case "system":
          if (message["subtype"] === "init") {
            print("tools", message["tools"], message["mcp_servers"]);
          }
          break;
        case "stream_event": {
          const event = message["event"] as {
            delta?: { type: string; text?: string };
          };
          streamed += event.delta?.text ?? "";
          break;
        }
        case "user": {
          const { content } = message["message"] as {
            content: { type: string; content: unknown; is_error?: boolean }[];
          };
          for (const block of content) {
            print("result of tool", block.is_error === true, block.content);
          }
          break;
        }
        case "result": {
          const parsed = Report.safeParse(message["structured_output"]);
          print(message["subtype"], message["num_turns"], parsed.success);
          print(parsed.data ?? message["result"]);
        }
      }
    }
    print("streamed", streamed);
  } catch (error) {
    print("failed", (error as Error).message);
  } finally {
    clearTimeout(timer);
    abortController.abort();
  }
};

export default program;
