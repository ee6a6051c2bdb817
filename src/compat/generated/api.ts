// Made from protocol/ by `deno task protocol`; edit that.
/** What programs rarely read: values fit the API's package whatever its version. */
// deno-lint-ignore no-explicit-any -- as above
export type Unspecified = any;

/** A message of the model. */
export interface BetaMessage {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: BetaContentBlock[];
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
  stop_sequence: string | null;
  stop_details: Unspecified;
  usage: BetaUsage;
  container: Unspecified;
  context_management: Unspecified;
  diagnostics: Unspecified;
  input_transformations?: Unspecified[] | null | undefined;
}

/** Tokens of one message of the API. */
export interface BetaUsage {
  input_tokens: number;
  output_tokens: number;
  cache_creation: {
    ephemeral_1h_input_tokens: number;
    ephemeral_5m_input_tokens: number;
  } | null;
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  fallback_credit: Unspecified;
  inference_geo: string | null;
  iterations: Unspecified[] | null;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use:
    | { web_search_requests: number; web_fetch_requests: number }
    | null;
  service_tier: "standard" | "priority" | "batch" | null;
  speed: "standard" | "fast" | null;
}

/** An event of the API's stream. */
export type BetaRawMessageStreamEvent =
  | { type: "message_start"; message: BetaMessage }
  | {
    type: "message_delta";
    context_management: Unspecified;
    delta: BetaMessageDelta;
    usage: BetaMessageDeltaUsage;
    input_transformations?: Unspecified[] | null;
  }
  | { type: "message_stop" }
  | {
    type: "content_block_start";
    index: number;
    content_block: BetaContentBlock;
  }
  | {
    type: "content_block_delta";
    index: number;
    delta: BetaRawContentBlockDelta;
  }
  | { type: "content_block_stop"; index: number };

/** How a message ended. */
export interface BetaMessageDelta {
  container: Unspecified;
  stop_details: Unspecified;
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
  stop_sequence: string | null;
}

/** Tokens of a message, at its end. */
export interface BetaMessageDeltaUsage {
  cache_creation_input_tokens: number | null;
  cache_read_input_tokens: number | null;
  fallback_credit: Unspecified;
  input_tokens: number | null;
  iterations: Unspecified[] | null;
  output_tokens: number;
  output_tokens_details: { thinking_tokens: number } | null;
  server_tool_use:
    | { web_search_requests: number; web_fetch_requests: number }
    | null;
}

/** A piece of a content block. */
export type BetaRawContentBlockDelta =
  | { type: "text_delta"; text: string }
  | { type: "input_json_delta"; partial_json: string }
  | { type: "citations_delta"; citation: Unspecified }
  | {
    type: "thinking_delta";
    thinking: string;
    estimated_tokens: number | null;
  }
  | { type: "signature_delta"; signature: string }
  | {
    type: "compaction_delta";
    content: string | null;
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
export type MessageParam =
  | { role: "user"; content: string | ContentBlockParam[] }
  | { role: "assistant"; content: string | ContentBlockParam[] }
  | { role: "system"; content: string | TextBlockParam[] };

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
  | { type: "tool_reference"; tool_name: string; cache_control?: Unspecified }
  | {
    type: "browser_state";
    tabs: Unspecified[];
    cache_control?: Unspecified;
    state_changes?: Unspecified[] | null;
  };

/** A block "text" of a message of the model. */
export interface BetaTextBlock {
  type: "text";
  text: string;
  citations: Unspecified[] | null;
}

/** A block "thinking" of a message of the model. */
export interface BetaThinkingBlock {
  type: "thinking";
  thinking: string;
  signature: string;
}

/** A block "redacted_thinking" of a message of the model. */
export interface BetaRedactedThinkingBlock {
  type: "redacted_thinking";
  data: string;
}

/** A block "tool_use" of a message of the model. */
export interface BetaToolUseBlock {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  caller?: Unspecified | undefined;
  toolset_name?: string | null | undefined;
}

/** A block "server_tool_use" of a message of the model. */
export interface BetaServerToolUseBlock {
  type: "server_tool_use";
  id: string;
  name: Unspecified;
  input: { [key: string]: unknown };
  caller?: Unspecified | undefined;
}

/** A block "web_search_tool_result" of a message of the model. */
export interface BetaWebSearchToolResultBlock {
  type: "web_search_tool_result";
  tool_use_id: string;
  content: Unspecified;
  caller?: Unspecified | undefined;
}

/** A block "web_fetch_tool_result" of a message of the model. */
export interface BetaWebFetchToolResultBlock {
  type: "web_fetch_tool_result";
  tool_use_id: string;
  content: Unspecified;
  caller?: Unspecified | undefined;
}

/** A block "advisor_tool_result" of a message of the model. */
export interface BetaAdvisorToolResultBlock {
  type: "advisor_tool_result";
  tool_use_id: string;
  content: Unspecified;
}

/** A block "code_execution_tool_result" of a message of the model. */
export interface BetaCodeExecutionToolResultBlock {
  type: "code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
}

/** A block "bash_code_execution_tool_result" of a message of the model. */
export interface BetaBashCodeExecutionToolResultBlock {
  type: "bash_code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
}

/** A block "text_editor_code_execution_tool_result" of a message of the model. */
export interface BetaTextEditorCodeExecutionToolResultBlock {
  type: "text_editor_code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
}

/** A block "tool_search_tool_result" of a message of the model. */
export interface BetaToolSearchToolResultBlock {
  type: "tool_search_tool_result";
  tool_use_id: string;
  content: Unspecified;
}

/** A block "mcp_tool_use" of a message of the model. */
export interface BetaMCPToolUseBlock {
  type: "mcp_tool_use";
  id: string;
  name: string;
  server_name: string;
  input: unknown;
}

/** A block "mcp_tool_result" of a message of the model. */
export interface BetaMCPToolResultBlock {
  type: "mcp_tool_result";
  tool_use_id: string;
  content: string | BetaTextBlock[];
  is_error: boolean;
}

/** A block "container_upload" of a message of the model. */
export interface BetaContainerUploadBlock {
  type: "container_upload";
  file_id: string;
}

/** A block "compaction" of a message of the model. */
export interface BetaCompactionBlock {
  type: "compaction";
  content: string | null;
  encrypted_content: string | null;
  signature?: string | null | undefined;
  tool_changes?: Unspecified[] | null | undefined;
}

/** A block "fallback" of a message of the model. */
export interface BetaFallbackBlock {
  type: "fallback";
  from: Unspecified;
  to: Unspecified;
  trigger: Unspecified;
}

/** A block "mcp_tool_listing" of a message of the model. */
export interface BetaMCPToolListingBlock {
  type: "mcp_tool_listing";
  mcp_server_name: string;
  tools: Unspecified[];
}

/** A block "text" of a message that is sent. */
export interface TextBlockParam {
  type: "text";
  text: string;
  cache_control?: Unspecified | undefined;
  citations?: Unspecified[] | null | undefined;
}

/** A block "image" of a message that is sent. */
export interface ImageBlockParam {
  type: "image";
  source: Unspecified;
  cache_control?: Unspecified | undefined;
  transformations?: Unspecified | undefined;
}

/** A block "document" of a message that is sent. */
export interface DocumentBlockParam {
  type: "document";
  source: Unspecified;
  cache_control?: Unspecified | undefined;
  citations?: Unspecified | undefined;
  context?: string | null | undefined;
  title?: string | null | undefined;
}

/** A block "search_result" of a message that is sent. */
export interface SearchResultBlockParam {
  type: "search_result";
  content: TextBlockParam[];
  source: string;
  title: string;
  cache_control?: Unspecified | undefined;
  citations?: Unspecified | undefined;
}

/** A block "thinking" of a message that is sent. */
export interface ThinkingBlockParam {
  type: "thinking";
  thinking: string;
  signature: string;
}

/** A block "redacted_thinking" of a message that is sent. */
export interface RedactedThinkingBlockParam {
  type: "redacted_thinking";
  data: string;
}

/** A block "tool_use" of a message that is sent. */
export interface ToolUseBlockParam {
  type: "tool_use";
  id: string;
  name: string;
  input: unknown;
  cache_control?: Unspecified | undefined;
  caller?: Unspecified | undefined;
  toolset_name?: string | null | undefined;
}

/** A block "tool_result" of a message that is sent. */
export interface ToolResultBlockParam {
  type: "tool_result";
  tool_use_id: string;
  content?: string | ToolResultPartParam[] | undefined;
  is_error?: boolean | undefined;
  cache_control?: Unspecified | undefined;
  toolset_name?: string | null | undefined;
}

/** A block "server_tool_use" of a message that is sent. */
export interface ServerToolUseBlockParam {
  type: "server_tool_use";
  id: string;
  name: Unspecified;
  input: unknown;
  cache_control?: Unspecified | undefined;
  caller?: Unspecified | undefined;
}

/** A block "web_search_tool_result" of a message that is sent. */
export interface WebSearchToolResultBlockParam {
  type: "web_search_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
  caller?: Unspecified | undefined;
}

/** A block "web_fetch_tool_result" of a message that is sent. */
export interface WebFetchToolResultBlockParam {
  type: "web_fetch_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
  caller?: Unspecified | undefined;
}

/** A block "code_execution_tool_result" of a message that is sent. */
export interface CodeExecutionToolResultBlockParam {
  type: "code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
}

/** A block "bash_code_execution_tool_result" of a message that is sent. */
export interface BashCodeExecutionToolResultBlockParam {
  type: "bash_code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
}

/** A block "text_editor_code_execution_tool_result" of a message that is sent. */
export interface TextEditorCodeExecutionToolResultBlockParam {
  type: "text_editor_code_execution_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
}

/** A block "tool_search_tool_result" of a message that is sent. */
export interface ToolSearchToolResultBlockParam {
  type: "tool_search_tool_result";
  tool_use_id: string;
  content: Unspecified;
  cache_control?: Unspecified | undefined;
}

/** A block "container_upload" of a message that is sent. */
export interface ContainerUploadBlockParam {
  type: "container_upload";
  file_id: string;
  cache_control?: Unspecified | undefined;
}
