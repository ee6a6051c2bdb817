/** Wrappers of the official SDK, and what each is asked to do; `scripts/wrappers.ts` runs them. */
import type { Model, ProgramModule } from "./_program.ts";

/** The wrappers, and what they are used with. */
export const WRAPPERS: Readonly<Record<string, string>> = {
  "@agentclientprotocol/claude-agent-acp": "0.101.0",
  "@agentclientprotocol/sdk": "2.4.0",
  "@arizeai/openinference-instrumentation-claude-agent-sdk": "0.3.1",
  "@mastra/claude": "0.3.0",
  "@mastra/core": "1.71.0",
  "@opentelemetry/sdk-trace-node": "2.12.0",
  "ai": "7.0.173",
  "ai-sdk-provider-claude-code": "4.1.0",
  "braintrust": "3.35.0",
  "langsmith": "0.12.0",
  "zod": "4.6.7",
};

/** Task of a wrapper. */
export interface Scenario {
  /** Its file, and the word that it is started with. */
  readonly name: `${string} ${string}`;
  /** Answers of the model. */
  readonly model: Model;
  /** Parts that may differ between the two packages, with the reason. */
  readonly differs?: ProgramModule["differs"];
}

const MAKES: Model = [
  {
    text: "Making.",
    tool: "Bash",
    input: { command: "touch made", description: "make" },
  },
  "Made",
];
const HANGS: Model = [{ text: "Thinking of it", chunks: 1, hang: true }];

/** The agent for editors is gone before its CLIs are. */
const AT_THE_END: Scenario["differs"] = {
  parts: ["exits"],
  why:
    "there the agent ends while its CLIs are still ending, and some stay behind",
};

/** Tasks of the wrappers. */
export const SCENARIOS: readonly Scenario[] = [
  { name: "ai_sdk generateText", model: ["Hello, Ada!"] },
  { name: "ai_sdk streamText", model: MAKES },
  { name: "ai_sdk useChat", model: ["Hello, Ada!"] },
  {
    name: "ai_sdk generateObject",
    model: [
      { tool: "StructuredOutput", input: { name: "Ada", age: 36 } },
      "Done",
    ],
  },
  {
    name: "ai_sdk tools",
    model: [{ tool: "mcp__shop__stock", input: { article: "tea" } }, "Seven"],
  },
  { name: "ai_sdk aborted", model: HANGS },
  {
    name: "ai_sdk refused",
    model: [{ error: { status: 400, message: "No" }, repeat: true }],
  },
  { name: "acp prompted", model: ["Hello, Ada!"], differs: AT_THE_END },
  { name: "acp allowed", model: MAKES, differs: AT_THE_END },
  { name: "acp refused", model: MAKES, differs: AT_THE_END },
  { name: "acp cancelled", model: HANGS, differs: AT_THE_END },
  { name: "mastra generate", model: ["Hello, Ada!"] },
  { name: "mastra stream", model: MAKES },
  { name: "langsmith traced", model: ["Hello, Ada!"] },
  { name: "langsmith interrupted", model: HANGS },
  { name: "openinference required", model: ["Hello, Ada!"] },
  { name: "braintrust wrapped", model: ["Hello, Ada!"] },
];
