// Made from protocol/ by `npm run generate`; edit that.
/** A value that programs rarely read: it fits the API's package whatever its version. */
// deno-lint-ignore no-explicit-any -- as above
export type Unspecified = any;

/** A message of the model. */
export interface BetaMessage {
  /** Id. */
  id: string;
  /** Kind of the object. */
  type: "message";
  /** Author of the message. */
  role: "assistant";
  /** The model that answered. */
  model: string;
  /** The content. */
  content: BetaContentBlock[];
  /** Reason the model stopped. */
  stop_reason:
    | "end_turn"
    | "max_tokens"
    | "stop_sequence"
    | "tool_use"
    | "pause_turn"
    | "compaction"
    | "refusal"
    | "model_context_window_exceeded"
    | null;
  /** The sequence at which the model stopped. */
  stop_sequence: string | null;
  /** See the reference of the API. */
  stop_details: Unspecified;
  /** Tokens used. */
  usage: BetaUsage;
  /** See the reference of the API. */
  container: Unspecified;
  /** See the reference of the API. */
  context_management: Unspecified;
  /** See the reference of the API. */
  diagnostics: Unspecified;
  /** See the reference of the API. */
  input_transformations?: Unspecified[] | null | undefined;
}

/** Tokens of one message of the API. */
export interface BetaUsage {
  /** Tokens of the prompt. */
  input_tokens: number;
  /** Tokens of the answer. */
  output_tokens: number;
  /** Tokens written to the prompt cache, by lifetime. */
  cache_creation: {
    /** Tokens kept for an hour. */
    ephemeral_1h_input_tokens: number;
    /** Tokens kept for five minutes. */
    ephemeral_5m_input_tokens: number;
  } | null;
  /** Tokens written to the prompt cache. */
  cache_creation_input_tokens: number | null;
  /** Tokens read from the prompt cache. */
  cache_read_input_tokens: number | null;
  /** See the reference of the API. */
  fallback_credit: Unspecified;
  /** See the reference of the API. */
  inference_geo: string | null;
  /** See the reference of the API. */
  iterations: Unspecified[] | null;
  /** Breakdown of the output tokens. */
  output_tokens_details: {
    /** Tokens of thinking. */
    thinking_tokens: number;
  } | null;
  /** Number of calls to the API's own tools. */
  server_tool_use: {
    /** Web searches. */
    web_search_requests: number;
    /** Web fetches. */
    web_fetch_requests: number;
  } | null;
  /** Service tier of the request. */
  service_tier: "standard" | "priority" | "batch" | null;
  /** Speed of the answer. */
  speed: "standard" | "fast" | null;
}

/** An event of the API's stream. */
export type BetaRawMessageStreamEvent = {
  /** Kind of the object. */
  type: "message_start";
  /** The message, still without content. */
  message: BetaMessage;
} | {
  /** Kind of the object. */
  type: "message_delta";
  /** See the reference of the API. */
  context_management: Unspecified;
  /** Additions. */
  delta: BetaMessageDelta;
  /** Tokens used. */
  usage: BetaMessageDeltaUsage;
  /** See the reference of the API. */
  input_transformations?: Unspecified[] | null;
} | {
  /** Kind of the object. */
  type: "message_stop";
} | {
  /** Kind of the object. */
  type: "content_block_start";
  /** Place of the block in the content. */
  index: number;
  /** The block, still empty. */
  content_block: BetaContentBlock;
} | {
  /** Kind of the object. */
  type: "content_block_delta";
  /** Place of the block in the content. */
  index: number;
  /** Additions. */
  delta: BetaRawContentBlockDelta;
} | {
  /** Kind of the object. */
  type: "content_block_stop";
  /** Place of the block in the content. */
  index: number;
};

/** End of a message: stop reason and stop sequence. */
export interface BetaMessageDelta {
  /** See the reference of the API. */
  container: Unspecified;
  /** See the reference of the API. */
  stop_details: Unspecified;
  /** Reason the model stopped. */
  stop_reason:
    | "end_turn"
    | "max_tokens"
    | "stop_sequence"
    | "tool_use"
    | "pause_turn"
    | "compaction"
    | "refusal"
    | "model_context_window_exceeded"
    | null;
  /** The sequence at which the model stopped. */
  stop_sequence: string | null;
}

/** Tokens of a message, at its end. */
export interface BetaMessageDeltaUsage {
  /** Tokens written to the prompt cache. */
  cache_creation_input_tokens: number | null;
  /** Tokens read from the prompt cache. */
  cache_read_input_tokens: number | null;
  /** See the reference of the API. */
  fallback_credit: Unspecified;
  /** Tokens of the prompt. */
  input_tokens: number | null;
  /** See the reference of the API. */
  iterations: Unspecified[] | null;
  /** Tokens of the answer. */
  output_tokens: number;
  /** Breakdown of the output tokens. */
  output_tokens_details: {
    /** Tokens of thinking. */
    thinking_tokens: number;
  } | null;
  /** Number of calls to the API's own tools. */
  server_tool_use: {
    /** Web searches. */
    web_search_requests: number;
    /** Web fetches. */
    web_fetch_requests: number;
  } | null;
}

/** A piece of a content block. */
export type BetaRawContentBlockDelta = {
  /** Kind of the object. */
  type: "text_delta";
  /** The text. */
  text: string;
} | {
  /** Kind of the object. */
  type: "input_json_delta";
  /** A piece of JSON text; only all pieces of a block together are valid JSON. */
  partial_json: string;
} | {
  /** Kind of the object. */
  type: "citations_delta";
  /** Source of the text. */
  citation: Unspecified;
} | {
  /** Kind of the object. */
  type: "thinking_delta";
  /** The thinking. */
  thinking: string;
  /** Tokens of the thinking so far, estimated. */
  estimated_tokens: number | null;
} | {
  /** Kind of the object. */
  type: "signature_delta";
  /** Proof that the model wrote the thinking. */
  signature: string;
} | {
  /** Kind of the object. */
  type: "compaction_delta";
  /** The content. */
  content: string | null;
  /** Content that only the API can read. */
  encrypted_content: string | null;
};

/** A block of a message of the model. */
export type BetaContentBlock =
  | BetaTextBlock
  | BetaThinkingBlock
  | BetaRedactedThinkingBlock
  | BetaToolUseBlock
  | BetaServerToolUseBlock
  | BetaWebSearchToolResultBlock
  | BetaWebFetchToolResultBlock
  | BetaAdvisorToolResultBlock
  | BetaCodeExecutionToolResultBlock
  | BetaBashCodeExecutionToolResultBlock
  | BetaTextEditorCodeExecutionToolResultBlock
  | BetaToolSearchToolResultBlock
  | BetaMCPToolUseBlock
  | BetaMCPToolResultBlock
  | BetaContainerUploadBlock
  | BetaCompactionBlock
  | BetaFallbackBlock
  | BetaMCPToolListingBlock;

/** A message that is sent to the model. */
export type MessageParam = {
  /** Author of the message. */
  role: "user";
  /** The content. */
  content: string | ContentBlockParam[];
} | {
  /** Author of the message. */
  role: "assistant";
  /** The content. */
  content: string | ContentBlockParam[];
} | {
  /** Author of the message. */
  role: "system";
  /** The content. */
  content: string | TextBlockParam[];
};

/** A block of a message that is sent. */
export type ContentBlockParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | SearchResultBlockParam
  | ThinkingBlockParam
  | RedactedThinkingBlockParam
  | ToolUseBlockParam
  | ToolResultBlockParam
  | ServerToolUseBlockParam
  | WebSearchToolResultBlockParam
  | WebFetchToolResultBlockParam
  | CodeExecutionToolResultBlockParam
  | BashCodeExecutionToolResultBlockParam
  | TextEditorCodeExecutionToolResultBlockParam
  | ToolSearchToolResultBlockParam
  | ContainerUploadBlockParam;

/** A part of the result of a tool. */
export type ToolResultPartParam =
  | TextBlockParam
  | ImageBlockParam
  | DocumentBlockParam
  | SearchResultBlockParam
  | {
    /** Kind of the object. */
    type: "tool_reference";
    /** Name of the tool. */
    tool_name: string;
    /** End of the cached prompt prefix. */
    cache_control?: Unspecified;
  }
  | {
    /** Kind of the object. */
    type: "browser_state";
    /** Open tabs. */
    tabs: Unspecified[];
    /** End of the cached prompt prefix. */
    cache_control?: Unspecified;
    /** See the reference of the API. */
    state_changes?: Unspecified[] | null;
  };

/** A block "text" of a message of the model. */
export interface BetaTextBlock {
  /** Kind of the object. */
  type: "text";
  /** The text. */
  text: string;
  /** Sources of the text. */
  citations: Unspecified[] | null;
}

/** A block "thinking" of a message of the model. */
export interface BetaThinkingBlock {
  /** Kind of the object. */
  type: "thinking";
  /** The thinking. */
  thinking: string;
  /** Proof that the model wrote the thinking. */
  signature: string;
}

/** A block "redacted_thinking" of a message of the model. */
export interface BetaRedactedThinkingBlock {
  /** Kind of the object. */
  type: "redacted_thinking";
  /** The data, encoded. */
  data: string;
}

/** A block "tool_use" of a message of the model. */
export interface BetaToolUseBlock {
  /** Kind of the object. */
  type: "tool_use";
  /** Id. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** Input of the tool. */
  input: unknown;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
  /** See the reference of the API. */
  toolset_name?: string | null | undefined;
}

/** A block "server_tool_use" of a message of the model. */
export interface BetaServerToolUseBlock {
  /** Kind of the object. */
  type: "server_tool_use";
  /** Id. */
  id: string;
  /** Name of the tool. */
  name: Unspecified;
  /** Input of the tool. */
  input: { [key: string]: unknown };
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "web_search_tool_result" of a message of the model. */
export interface BetaWebSearchToolResultBlock {
  /** Kind of the object. */
  type: "web_search_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "web_fetch_tool_result" of a message of the model. */
export interface BetaWebFetchToolResultBlock {
  /** Kind of the object. */
  type: "web_fetch_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "advisor_tool_result" of a message of the model. */
export interface BetaAdvisorToolResultBlock {
  /** Kind of the object. */
  type: "advisor_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
}

/** A block "code_execution_tool_result" of a message of the model. */
export interface BetaCodeExecutionToolResultBlock {
  /** Kind of the object. */
  type: "code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
}

/** A block "bash_code_execution_tool_result" of a message of the model. */
export interface BetaBashCodeExecutionToolResultBlock {
  /** Kind of the object. */
  type: "bash_code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
}

/** A block "text_editor_code_execution_tool_result" of a message of the model. */
export interface BetaTextEditorCodeExecutionToolResultBlock {
  /** Kind of the object. */
  type: "text_editor_code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
}

/** A block "tool_search_tool_result" of a message of the model. */
export interface BetaToolSearchToolResultBlock {
  /** Kind of the object. */
  type: "tool_search_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
}

/** A block "mcp_tool_use" of a message of the model. */
export interface BetaMCPToolUseBlock {
  /** Kind of the object. */
  type: "mcp_tool_use";
  /** Id. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** MCP server that has the tool. */
  server_name: string;
  /** Input of the tool. */
  input: unknown;
}

/** A block "mcp_tool_result" of a message of the model. */
export interface BetaMCPToolResultBlock {
  /** Kind of the object. */
  type: "mcp_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: string | BetaTextBlock[];
  /** Whether the tool failed. */
  is_error: boolean;
}

/** A block "container_upload" of a message of the model. */
export interface BetaContainerUploadBlock {
  /** Kind of the object. */
  type: "container_upload";
  /** Id of an uploaded file. */
  file_id: string;
}

/** A block "compaction" of a message of the model. */
export interface BetaCompactionBlock {
  /** Kind of the object. */
  type: "compaction";
  /** The content. */
  content: string | null;
  /** Content that only the API can read. */
  encrypted_content: string | null;
  /** Proof that the model wrote the thinking. */
  signature?: string | null | undefined;
  /** See the reference of the API. */
  tool_changes?: Unspecified[] | null | undefined;
}

/** A block "fallback" of a message of the model. */
export interface BetaFallbackBlock {
  /** Kind of the object. */
  type: "fallback";
  /** See the reference of the API. */
  from: Unspecified;
  /** See the reference of the API. */
  to: Unspecified;
  /** See the reference of the API. */
  trigger: Unspecified;
}

/** A block "mcp_tool_listing" of a message of the model. */
export interface BetaMCPToolListingBlock {
  /** Kind of the object. */
  type: "mcp_tool_listing";
  /** MCP server that has the tool. */
  mcp_server_name: string;
  /** See the reference of the API. */
  tools: Unspecified[];
}

/** A block "text" of a message that is sent. */
export interface TextBlockParam {
  /** Kind of the object. */
  type: "text";
  /** The text. */
  text: string;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** Sources of the text. */
  citations?: Unspecified[] | null | undefined;
}

/** A block "image" of a message that is sent. */
export interface ImageBlockParam {
  /** Kind of the object. */
  type: "image";
  /** Source of the content. */
  source: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** See the reference of the API. */
  transformations?: Unspecified | undefined;
}

/** A block "document" of a message that is sent. */
export interface DocumentBlockParam {
  /** Kind of the object. */
  type: "document";
  /** Source of the content. */
  source: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** Sources of the text. */
  citations?: Unspecified | undefined;
  /** See the reference of the API. */
  context?: string | null | undefined;
  /** Title of the document. */
  title?: string | null | undefined;
}

/** A block "search_result" of a message that is sent. */
export interface SearchResultBlockParam {
  /** Kind of the object. */
  type: "search_result";
  /** The content. */
  content: TextBlockParam[];
  /** Source of the content. */
  source: string;
  /** Title of the document. */
  title: string;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** Sources of the text. */
  citations?: Unspecified | undefined;
}

/** A block "thinking" of a message that is sent. */
export interface ThinkingBlockParam {
  /** Kind of the object. */
  type: "thinking";
  /** The thinking. */
  thinking: string;
  /** Proof that the model wrote the thinking. */
  signature: string;
}

/** A block "redacted_thinking" of a message that is sent. */
export interface RedactedThinkingBlockParam {
  /** Kind of the object. */
  type: "redacted_thinking";
  /** The data, encoded. */
  data: string;
}

/** A block "tool_use" of a message that is sent. */
export interface ToolUseBlockParam {
  /** Kind of the object. */
  type: "tool_use";
  /** Id. */
  id: string;
  /** Name of the tool. */
  name: string;
  /** Input of the tool. */
  input: unknown;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
  /** See the reference of the API. */
  toolset_name?: string | null | undefined;
}

/** A block "tool_result" of a message that is sent. */
export interface ToolResultBlockParam {
  /** Kind of the object. */
  type: "tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content?: string | ToolResultPartParam[] | undefined;
  /** Whether the tool failed. */
  is_error?: boolean | undefined;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** See the reference of the API. */
  toolset_name?: string | null | undefined;
}

/** A block "server_tool_use" of a message that is sent. */
export interface ServerToolUseBlockParam {
  /** Kind of the object. */
  type: "server_tool_use";
  /** Id. */
  id: string;
  /** Name of the tool. */
  name: Unspecified;
  /** Input of the tool. */
  input: unknown;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "web_search_tool_result" of a message that is sent. */
export interface WebSearchToolResultBlockParam {
  /** Kind of the object. */
  type: "web_search_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "web_fetch_tool_result" of a message that is sent. */
export interface WebFetchToolResultBlockParam {
  /** Kind of the object. */
  type: "web_fetch_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
  /** The program or model that called the tool. */
  caller?: Unspecified | undefined;
}

/** A block "code_execution_tool_result" of a message that is sent. */
export interface CodeExecutionToolResultBlockParam {
  /** Kind of the object. */
  type: "code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
}

/** A block "bash_code_execution_tool_result" of a message that is sent. */
export interface BashCodeExecutionToolResultBlockParam {
  /** Kind of the object. */
  type: "bash_code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
}

/** A block "text_editor_code_execution_tool_result" of a message that is sent. */
export interface TextEditorCodeExecutionToolResultBlockParam {
  /** Kind of the object. */
  type: "text_editor_code_execution_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
}

/** A block "tool_search_tool_result" of a message that is sent. */
export interface ToolSearchToolResultBlockParam {
  /** Kind of the object. */
  type: "tool_search_tool_result";
  /** Id of the call that this answers. */
  tool_use_id: string;
  /** The content. */
  content: Unspecified;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
}

/** A block "container_upload" of a message that is sent. */
export interface ContainerUploadBlockParam {
  /** Kind of the object. */
  type: "container_upload";
  /** Id of an uploaded file. */
  file_id: string;
  /** End of the cached prompt prefix. */
  cache_control?: Unspecified | undefined;
}
