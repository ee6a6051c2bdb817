/** Makes TypeScript of the types of the API's own package. */
import type { ApiType } from "../../protocol/api.ts";

/** The source of all of them. */
export function apiOf(api: Readonly<Record<string, ApiType>>): string {
  const types = Object.entries(api).map(([name, { description, type }]) =>
    `/** ${description}. */\n${
      typeof type === "string"
        ? `export type ${name} = ${type};`
        : `export interface ${name} {${fieldsOf(type)}}`
    }`
  );
  return [
    `/** What programs rarely read: values fit the API's package whatever its version. */
// deno-lint-ignore no-explicit-any -- as above
export type Unspecified = any;`,
    ...types,
  ].join("\n\n") + "\n";
}

function fieldsOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields).map(([key, type]) => {
    const isOptional = key.endsWith("?");
    const about = FIELDS[isOptional ? key.slice(0, -1) : key] ?? OTHER;
    return `\n/** ${about}. */\n${key}: ${type}${
      isOptional ? " | undefined" : ""
    };`;
  }).join("");
}

/** Descriptions of fields; all types use a name for the same thing. */
const FIELDS: Readonly<Record<string, string>> = {
  cache_control: "Where the prompt cache ends",
  cache_creation_input_tokens: "Tokens written to the prompt cache",
  cache_read_input_tokens: "Tokens read from the prompt cache",
  caller: "The program or model that called the tool",
  citations: "Sources of the text",
  content: "The content",
  data: "The data, encoded",
  encrypted_content: "Content that only the API can read",
  file_id: "Id of an uploaded file",
  id: "Id",
  input: "Input of the tool",
  input_tokens: "Tokens of the prompt",
  is_error: "Whether the tool failed",
  mcp_server_name: "MCP server that has the tool",
  model: "The model that answered",
  name: "Name of the tool",
  output_tokens: "Tokens of the answer",
  role: "Author of the message",
  server_name: "MCP server that has the tool",
  server_tool_use: "How often the API used tools of its own",
  service_tier: "Service tier of the request",
  signature: "Proof that the model wrote the thinking",
  source: "Where the content comes from",
  speed: "Speed of the answer",
  stop_reason: "Why the model stopped",
  stop_sequence: "The sequence at which the model stopped",
  text: "The text",
  thinking: "The thinking",
  title: "Title of the document",
  tool_use_id: "Id of the call that this answers",
  type: "Kind of the object",
  usage: "Tokens used",
};

const OTHER = "See the reference of the API";
