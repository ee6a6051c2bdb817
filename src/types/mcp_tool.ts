import type { JsonInput, JsonObject } from "./json.ts";
import type { Infer, Schema } from "./schema.ts";

/** Definition of a server, for `createMcpServer()`. */
export interface McpServerDefinition {
  /** Name of the server. */
  readonly name: string;
  /** Its version; `"1.0.0"`. */
  readonly version?: string | undefined;
  /** Usage instructions for the model. */
  readonly instructions?: string | undefined;
  /** Its tools, from `tool()`; no two of one name. */
  readonly tools: readonly Tool[];
}

/** Hints about the behaviour of a tool; unverified claims of its server. */
export interface ToolAnnotations {
  /** Title to show. */
  readonly title?: string | undefined;
  /** It is read-only. */
  readonly readOnlyHint?: boolean | undefined;
  /** It may destroy something. */
  readonly destructiveHint?: boolean | undefined;
  /** Repeating a call has no further effect. */
  readonly idempotentHint?: boolean | undefined;
  /** It interacts with external systems. */
  readonly openWorldHint?: boolean | undefined;
}

/** Text of a tool. */
export interface ToolText {
  /** Discriminator. */
  readonly type: "text";
  /** The text. */
  readonly text: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** An image or audio content of a tool result. */
export interface ToolMedia {
  /** Discriminator. */
  readonly type: "image" | "audio";
  /** Base64. */
  readonly data: string;
  /** Its kind, such as `image/png`. */
  readonly mimeType: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** A resource in an answer. */
export interface ToolResource {
  /** Discriminator. */
  readonly type: "resource";
  /** The resource: `uri`, and `text` or `blob`. */
  readonly resource: JsonObject;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/** A resource that an answer names. */
export interface ToolResourceLink {
  /** Discriminator. */
  readonly type: "resource_link";
  /** Address of the resource. */
  readonly uri: string;
  /** Its name. */
  readonly name: string;
  /** Its description. */
  readonly description?: string;
  /** Its kind. */
  readonly mimeType?: string;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/**
 * One content block of a tool result, discriminated by `type`.
 *
 * Kinds that are newer than this union are passed on unchanged: keep a `default` branch.
 */
export type ToolContent =
  | ToolText
  | ToolMedia
  | ToolResource
  | ToolResourceLink;

/** The result of a tool in the format of the MCP protocol. */
export interface CallToolResult {
  /** The pieces, in order. */
  readonly content: readonly ToolContent[];
  /** The same as data. */
  readonly structuredContent?: JsonObject;
  /** The tool failed; the model reads the content as the reason. */
  readonly isError?: boolean;
  /** Further facts. */
  readonly _meta?: JsonObject;
}

/**
 * Return value of a tool: a text, the wire's result, an object (becomes structured content and its JSON text), anything
 * else that JSON can represent (becomes its JSON text), or nothing.
 *
 * An object whose `content` is an array counts as the wire's result. A value that JSON cannot represent becomes a
 * failed result.
 *
 * @typeParam O The schema of the structured content, where the tool has one: then its values and the wire's result alone
 */
export type ToolReturn<O = undefined> = O extends Schema
  ? Infer<O> | CallToolResult
  : string | number | boolean | null | undefined | void | object;

/** Context of a tool call. */
export interface ToolContext {
  /** Aborted when the call is cancelled, times out, or the conversation ends. */
  readonly signal: AbortSignal;
  /** Id of the tool call. */
  readonly toolUseId?: string | undefined;
  /** Reports progress to the caller. */
  progress(done: number, total?: number, message?: string): void;
}

/**
 * Definition of a tool, for `tool()`.
 *
 * @typeParam S The schema of the arguments
 * @typeParam O The schema of the structured content; none by default
 */
export interface ToolDefinition<
  S extends Schema,
  O extends Schema | undefined = undefined,
> {
  /** Name of the tool, without blanks at its ends. The model sees `mcp__server__name`, with `_` for all but letters, digits, `_` and `-`. */
  readonly name: string;
  /** Title to show. */
  readonly title?: string | undefined;
  /** Description for the model. */
  readonly description: string;
  /** Schema of its arguments, an object. */
  readonly input: S;
  /** Schema of its structured content, an object; an answer that does not fit it becomes a failed result. */
  readonly output?: O | undefined;
  /** Hints about it. */
  readonly annotations?: ToolAnnotations | undefined;
  /** Further facts for the client (`_meta`), such as `"anthropic/alwaysLoad"`. */
  readonly meta?: JsonInput | undefined;
  /** Runs the tool; a thrown error becomes a failed result with the error's text. */
  run(
    args: Infer<S>,
    context: ToolContext,
  ): ToolReturn<O> | Promise<ToolReturn<O>>;
}

/** Schemas of a tool, as JSON Schema. */
export interface ToolSchemas {
  /** JSON Schema of its arguments. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of its structured content. */
  readonly outputSchema?: JsonObject;
}

/** A tool made by `tool()`: its definition with the schemas as JSON Schema, its argument type erased. */
export interface Tool extends ToolSchemas {
  /** Name of the tool. */
  readonly name: string;
  /** Title to show. */
  readonly title?: string;
  /** Description for the model. */
  readonly description: string;
  /** Hints about it. */
  readonly annotations?: ToolAnnotations;
  /** Further facts for the client. */
  readonly meta?: JsonObject;
  /**
   * Creates the JSON Schemas that need zod's converter (zod before 4.2, `zod/mini`); before the first call the fields
   * are `{ type: "object" }`. Absent for all other tools.
   *
   * Rejects with a `ConfigError` when JSON Schema cannot express a schema.
   */
  readonly schemas?: () => Promise<ToolSchemas>;
  /**
   * Validates the arguments and runs the tool. Never throws: an error becomes a failed result.
   *
   * Returns no promise when neither the check nor the tool needs one.
   */
  call(
    args: JsonInput,
    context?: ToolContext,
  ): CallToolResult | Promise<CallToolResult>;
}

/** Result of a tool call. */
export interface ToolResult {
  /** The pieces as the server sent them, unknown kinds too. */
  readonly content: readonly ToolContent[];
  /** The same as data. */
  readonly structuredContent?: JsonObject;
  /** Whether the tool failed. */
  readonly isError: boolean;
  /** Further facts of the server. */
  readonly meta?: JsonObject;
}
