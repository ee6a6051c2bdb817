/**
 * Types of the API's own package, as far as declarations of the official SDK use them.
 *
 * Fields that programs rarely read may be anything, so that values fit that package's types whatever its version.
 * Source: `@anthropic-ai/sdk` 1.12.0.
 */
export interface ApiType {
  readonly description: string;
  /** The type; an object: a type for each field, whose name ends with "?" where it may be absent; a list: their union. */
  readonly type: string | ApiFields | readonly (string | ApiFields)[];
}

type ApiFields = Readonly<Record<string, string>>;

/** May be anything. */
const ANY = "Unspecified";
const LIST = `${ANY}[]`;
const STOP_REASON =
  '"end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "pause_turn" | "compaction" | "refusal" | "model_context_window_exceeded" | null';
const THOUGHT = `{
  /** Tokens of thinking. */
  thinking_tokens: number;
} | null`;
const SERVER_TOOLS = `{
  /** Web searches. */
  web_search_requests: number;
  /** Web fetches. */
  web_fetch_requests: number;
} | null`;
const CACHE_CREATION = `{
  /** Tokens kept for an hour. */
  ephemeral_1h_input_tokens: number;
  /** Tokens kept for five minutes. */
  ephemeral_5m_input_tokens: number;
} | null`;
const CACHED = { "cache_control?": ANY };
const CALLED = { "caller?": ANY };

/** The result of a tool that the API runs. */
function result(tool: string): Record<string, string> {
  return { type: `"${tool}_tool_result"`, tool_use_id: "string", content: ANY };
}

/** Blocks of an assistant's message, by their names in that package. */
const BLOCKS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  BetaTextBlock: {
    type: '"text"',
    text: "string",
    citations: `${LIST} | null`,
  },
  BetaThinkingBlock: {
    type: '"thinking"',
    thinking: "string",
    signature: "string",
  },
  BetaRedactedThinkingBlock: { type: '"redacted_thinking"', data: "string" },
  BetaToolUseBlock: {
    type: '"tool_use"',
    id: "string",
    name: "string",
    input: "unknown",
    ...CALLED,
    "toolset_name?": "string | null",
  },
  BetaServerToolUseBlock: {
    type: '"server_tool_use"',
    id: "string",
    name: ANY,
    input: "{ [key: string]: unknown }",
    ...CALLED,
  },
  BetaWebSearchToolResultBlock: { ...result("web_search"), ...CALLED },
  BetaWebFetchToolResultBlock: { ...result("web_fetch"), ...CALLED },
  BetaAdvisorToolResultBlock: result("advisor"),
  BetaCodeExecutionToolResultBlock: result("code_execution"),
  BetaBashCodeExecutionToolResultBlock: result("bash_code_execution"),
  BetaTextEditorCodeExecutionToolResultBlock: result(
    "text_editor_code_execution",
  ),
  BetaToolSearchToolResultBlock: result("tool_search"),
  BetaMCPToolUseBlock: {
    type: '"mcp_tool_use"',
    id: "string",
    name: "string",
    server_name: "string",
    input: "unknown",
  },
  BetaMCPToolResultBlock: {
    type: '"mcp_tool_result"',
    tool_use_id: "string",
    content: "string | BetaTextBlock[]",
    is_error: "boolean",
  },
  BetaContainerUploadBlock: { type: '"container_upload"', file_id: "string" },
  BetaCompactionBlock: {
    type: '"compaction"',
    content: "string | null",
    encrypted_content: "string | null",
    "signature?": "string | null",
    "tool_changes?": `${LIST} | null`,
  },
  BetaFallbackBlock: { type: '"fallback"', from: ANY, to: ANY, trigger: ANY },
  BetaMCPToolListingBlock: {
    type: '"mcp_tool_listing"',
    mcp_server_name: "string",
    tools: LIST,
  },
};

/** Blocks of a prompt. */
const PROMPT_BLOCKS: Readonly<
  Record<string, Readonly<Record<string, string>>>
> = {
  TextBlockParam: {
    type: '"text"',
    text: "string",
    ...CACHED,
    "citations?": `${LIST} | null`,
  },
  ImageBlockParam: {
    type: '"image"',
    source: ANY,
    ...CACHED,
    "transformations?": ANY,
  },
  DocumentBlockParam: {
    type: '"document"',
    source: ANY,
    ...CACHED,
    "citations?": ANY,
    "context?": "string | null",
    "title?": "string | null",
  },
  SearchResultBlockParam: {
    type: '"search_result"',
    content: "TextBlockParam[]",
    source: "string",
    title: "string",
    ...CACHED,
    "citations?": ANY,
  },
  ThinkingBlockParam: {
    type: '"thinking"',
    thinking: "string",
    signature: "string",
  },
  RedactedThinkingBlockParam: { type: '"redacted_thinking"', data: "string" },
  ToolUseBlockParam: {
    type: '"tool_use"',
    id: "string",
    name: "string",
    input: "unknown",
    ...CACHED,
    ...CALLED,
    "toolset_name?": "string | null",
  },
  ToolResultBlockParam: {
    type: '"tool_result"',
    tool_use_id: "string",
    "content?": "string | ToolResultPartParam[]",
    "is_error?": "boolean",
    ...CACHED,
    "toolset_name?": "string | null",
  },
  ServerToolUseBlockParam: {
    type: '"server_tool_use"',
    id: "string",
    name: ANY,
    input: "unknown",
    ...CACHED,
    ...CALLED,
  },
  WebSearchToolResultBlockParam: {
    ...result("web_search"),
    ...CACHED,
    ...CALLED,
  },
  WebFetchToolResultBlockParam: {
    ...result("web_fetch"),
    ...CACHED,
    ...CALLED,
  },
  CodeExecutionToolResultBlockParam: { ...result("code_execution"), ...CACHED },
  BashCodeExecutionToolResultBlockParam: {
    ...result("bash_code_execution"),
    ...CACHED,
  },
  TextEditorCodeExecutionToolResultBlockParam: {
    ...result("text_editor_code_execution"),
    ...CACHED,
  },
  ToolSearchToolResultBlockParam: { ...result("tool_search"), ...CACHED },
  ContainerUploadBlockParam: {
    type: '"container_upload"',
    file_id: "string",
    ...CACHED,
  },
};

/** Every type by its name there. */
export const API: Readonly<Record<string, ApiType>> = {
  BetaMessage: {
    description: "A message of the model",
    type: {
      id: "string",
      type: '"message"',
      role: '"assistant"',
      model: "string",
      content: "BetaContentBlock[]",
      stop_reason: STOP_REASON,
      stop_sequence: "string | null",
      stop_details: ANY,
      usage: "BetaUsage",
      container: ANY,
      context_management: ANY,
      diagnostics: ANY,
      "input_transformations?": `${LIST} | null`,
    },
  },
  BetaUsage: {
    description: "Tokens of one message of the API",
    type: {
      input_tokens: "number",
      output_tokens: "number",
      cache_creation: CACHE_CREATION,
      cache_creation_input_tokens: "number | null",
      cache_read_input_tokens: "number | null",
      fallback_credit: ANY,
      inference_geo: "string | null",
      iterations: `${LIST} | null`,
      output_tokens_details: THOUGHT,
      server_tool_use: SERVER_TOOLS,
      service_tier: '"standard" | "priority" | "batch" | null',
      speed: '"standard" | "fast" | null',
    },
  },
  BetaRawMessageStreamEvent: {
    description: "An event of the API's stream",
    type: [
      { type: '"message_start"', message: "BetaMessage" },
      {
        type: '"message_delta"',
        context_management: ANY,
        delta: "BetaMessageDelta",
        usage: "BetaMessageDeltaUsage",
        "input_transformations?": `${LIST} | null`,
      },
      { type: '"message_stop"' },
      {
        type: '"content_block_start"',
        index: "number",
        content_block: "BetaContentBlock",
      },
      {
        type: '"content_block_delta"',
        index: "number",
        delta: "BetaRawContentBlockDelta",
      },
      { type: '"content_block_stop"', index: "number" },
    ],
  },
  BetaMessageDelta: {
    description: "End of a message: stop reason and stop sequence",
    type: {
      container: ANY,
      stop_details: ANY,
      stop_reason: STOP_REASON,
      stop_sequence: "string | null",
    },
  },
  BetaMessageDeltaUsage: {
    description: "Tokens of a message, at its end",
    type: {
      cache_creation_input_tokens: "number | null",
      cache_read_input_tokens: "number | null",
      fallback_credit: ANY,
      input_tokens: "number | null",
      iterations: `${LIST} | null`,
      output_tokens: "number",
      output_tokens_details: THOUGHT,
      server_tool_use: SERVER_TOOLS,
    },
  },
  BetaRawContentBlockDelta: {
    description: "A piece of a content block",
    type: [
      { type: '"text_delta"', text: "string" },
      { type: '"input_json_delta"', partial_json: "string" },
      { type: '"citations_delta"', citation: ANY },
      {
        type: '"thinking_delta"',
        thinking: "string",
        estimated_tokens: "number | null",
      },
      { type: '"signature_delta"', signature: "string" },
      {
        type: '"compaction_delta"',
        content: "string | null",
        encrypted_content: "string | null",
      },
    ],
  },
  BetaContentBlock: {
    description: "A block of a message of the model",
    type: Object.keys(BLOCKS).join(" | "),
  },
  MessageParam: {
    description: "A message that is sent to the model",
    type: [
      { role: '"user"', content: "string | ContentBlockParam[]" },
      { role: '"assistant"', content: "string | ContentBlockParam[]" },
      { role: '"system"', content: "string | TextBlockParam[]" },
    ],
  },
  ContentBlockParam: {
    description: "A block of a message that is sent",
    type: Object.keys(PROMPT_BLOCKS).join(" | "),
  },
  ToolResultPartParam: {
    description: "A part of the result of a tool",
    type: [
      "TextBlockParam",
      "ImageBlockParam",
      "DocumentBlockParam",
      "SearchResultBlockParam",
      { type: '"tool_reference"', tool_name: "string", ...CACHED },
      {
        type: '"browser_state"',
        tabs: LIST,
        ...CACHED,
        "state_changes?": `${LIST} | null`,
      },
    ],
  },
  ...blockTypes(BLOCKS, "of a message of the model"),
  ...blockTypes(PROMPT_BLOCKS, "of a message that is sent"),
};

/** Types of the API's package that replace those above in programs that have it, with the module of each. */
export const API_IMPORTS: Readonly<Record<string, string>> = {
  BetaMessage: "@anthropic-ai/sdk/resources/beta/messages/messages.mjs",
  BetaRawMessageStreamEvent:
    "@anthropic-ai/sdk/resources/beta/messages/messages.mjs",
  BetaUsage: "@anthropic-ai/sdk/resources/beta/messages/messages.mjs",
  MessageParam: "@anthropic-ai/sdk/resources",
};

function blockTypes(
  blocks: Readonly<Record<string, Readonly<Record<string, string>>>>,
  where: string,
): Record<string, ApiType> {
  return Object.fromEntries(
    Object.entries(blocks).map(([name, type]) => [
      name,
      { description: `A block ${type["type"]} ${where}`, type },
    ]),
  );
}

/** Descriptions of fields; all types use a name for the same thing. */
export const API_FIELDS: Readonly<Record<string, string>> = {
  cache_control: "End of the cached prompt prefix",
  cache_creation: "Tokens written to the prompt cache, by lifetime",
  cache_creation_input_tokens: "Tokens written to the prompt cache",
  cache_read_input_tokens: "Tokens read from the prompt cache",
  caller: "The program or model that called the tool",
  citation: "Source of the text",
  citations: "Sources of the text",
  content: "The content",
  content_block: "The block, still empty",
  data: "The data, encoded",
  delta: "Additions",
  encrypted_content: "Content that only the API can read",
  estimated_tokens: "Tokens of the thinking so far, estimated",
  file_id: "Id of an uploaded file",
  id: "Id",
  index: "Place of the block in the content",
  input: "Input of the tool",
  input_tokens: "Tokens of the prompt",
  is_error: "Whether the tool failed",
  mcp_server_name: "MCP server that has the tool",
  message: "The message, still without content",
  model: "The model that answered",
  name: "Name of the tool",
  output_tokens: "Tokens of the answer",
  output_tokens_details: "Breakdown of the output tokens",
  partial_json:
    "A piece of JSON text; only all pieces of a block together are valid JSON",
  role: "Author of the message",
  server_name: "MCP server that has the tool",
  server_tool_use: "Number of calls to the API's own tools",
  service_tier: "Service tier of the request",
  signature: "Proof that the model wrote the thinking",
  source: "Source of the content",
  speed: "Speed of the answer",
  stop_reason: "Reason the model stopped",
  stop_sequence: "The sequence at which the model stopped",
  tabs: "Open tabs",
  text: "The text",
  thinking: "The thinking",
  title: "Title of the document",
  tool_name: "Name of the tool",
  tool_use_id: "Id of the call that this answers",
  type: "Kind of the object",
  usage: "Tokens used",
};
