/** Content blocks, as they come and as they are sent. */
import {
  anything,
  flag,
  known,
  list,
  literal,
  maybe,
  object,
  oneOf,
  openRef,
  orNull,
  part,
  ref,
  shape,
  tag,
  text,
  type Topic,
  topic,
  union,
} from "./words.ts";

export const CONTENT: Topic = topic("content", "Conversation", {
  TextBlock: shape("Text", {
    type: tag("text"),
    text: text("The text; may be empty"),
    citations: maybe(
      orNull(
        list(
          object(),
          "Sources of statements in the text, unchanged from the API",
        ),
      ),
    ),
  }, { source: "Conversation" }),
  ThinkingBlock: shape("Text of the thinking", {
    type: tag("thinking"),
    thinking: text("The thinking; empty where it is not shown"),
    signature: text("Proof of origin, needed to send the block back"),
  }),
  RedactedThinkingBlock: shape(
    "Thinking in encrypted form",
    { type: tag("redacted_thinking"), data: text("The encrypted thinking") },
  ),
  ToolUseBlock: shape("A tool call", {
    type: tag("tool_use"),
    id: text("Id of the call; the `tool_use_id` of its result"),
    name: text(
      "Name of the tool; `mcp__server__tool` for one of an MCP server",
    ),
    input: object(
      "Input of the tool; `{}` while a stream event opens the block",
    ),
  }),
  ToolResultBlock: shape("Result of a tool call", {
    type: tag("tool_result"),
    tool_use_id: text("Id of the call"),
    content: maybe(
      union(
        [text(), list(openRef("ContentBlock"))],
        "The result; absent when the tool returned nothing",
      ),
    ),
    is_error: maybe(
      flag("Whether the call failed or was denied; false when absent"),
    ),
  }),
  ImageSource: union([
    part({
      type: literal("base64", "The image itself"),
      media_type: text("Kind of image, such as `image/png`"),
      data: text("The bytes in base64"),
    }),
    part({
      type: literal("url", "An address"),
      url: text("Address of the image"),
    }),
    part({
      type: literal("file", "A file the API already has"),
      file_id: text("Id of the file"),
    }),
  ], "Source of an image"),
  ImageBlock: shape("A picture", {
    type: tag("image"),
    source: ref("ImageSource", "Source of the image"),
  }),
  DocumentSource: union([
    part({
      type: oneOf(["base64", "text"], "The document itself, or its plain text"),
      media_type: text("Kind of document: `application/pdf` or `text/plain`"),
      data: text("The bytes in base64, or the text"),
    }),
    part({
      type: literal("url", "An address"),
      url: text("Address of the document"),
    }),
    part({
      type: literal("file", "A file the API already has"),
      file_id: text("Id of the file"),
    }),
    part({
      type: literal("content", "A document made of blocks"),
      content: union([text(), list(openRef("ContentBlock"))], "Its content"),
    }),
  ], "Source of a document"),
  DocumentBlock: shape("A document, such as a PDF", {
    type: tag("document"),
    source: ref("DocumentSource", "Source of the document"),
    title: maybe(orNull(text("Its title"))),
    context: maybe(
      orNull(text("Context for the model; not cited")),
    ),
    citations: maybe(
      orNull(object("Whether the model may cite it, unchanged from the API")),
    ),
  }),
  ServerToolUseBlock: shape(
    "A call of a tool that the API runs itself, such as web search",
    {
      type: tag("server_tool_use"),
      id: text("Id of the call"),
      name: text("Name of the tool"),
      input: object("Input of the tool"),
    },
    { unchecked: true },
  ),
  WebSearchToolResultBlock: shape("Result of a web search of the API", {
    type: tag("web_search_tool_result"),
    tool_use_id: text("Id of the call"),
    content: anything("The hits, or an object that describes the error"),
  }, { unchecked: true }),
  McpToolUseBlock: shape("A call of an MCP tool that the API runs itself", {
    type: tag("mcp_tool_use"),
    id: text("Id of the call"),
    name: text("Name of the tool"),
    server_name: text("Name of the MCP server"),
    input: object("Input of the tool"),
  }, { unchecked: true }),
  McpToolResultBlock: shape("Result of an MCP tool that the API ran", {
    type: tag("mcp_tool_result"),
    tool_use_id: text("Id of the call"),
    content: maybe(
      union([text(), list(openRef("ContentBlock"))], "The result"),
    ),
    is_error: maybe(flag("Whether the call failed; false when absent")),
  }, { unchecked: true }),
  UnknownBlock: shape(
    "A block of a kind this package does not know, in its place in the content.\n\nThe API adds kinds at any time: this is never an error",
    {
      type: tag("unknown"),
      originalType: text("The `type` on the wire"),
      raw: object("The block as it came"),
    },
    { made: true },
  ),
  ContentBlock: union([
    ref("TextBlock"),
    ref("ThinkingBlock"),
    ref("RedactedThinkingBlock"),
    ref("ToolUseBlock"),
    ref("ToolResultBlock"),
    ref("ImageBlock"),
    ref("DocumentBlock"),
    ref("ServerToolUseBlock"),
    ref("WebSearchToolResultBlock"),
    ref("McpToolUseBlock"),
    ref("McpToolResultBlock"),
    ref("UnknownBlock"),
  ], "One block of a message that came from the CLI"),
  TextBlockInput: shape("Text that is sent", {
    type: tag("text"),
    text: text("The text"),
  }),
  ImageBlockInput: shape("A picture that is sent", {
    type: tag("image"),
    source: ref("ImageSource", "Source of the image"),
  }),
  DocumentBlockInput: shape("A document that is sent", {
    type: tag("document"),
    source: union([
      part({
        type: oneOf(
          ["base64", "text"],
          "The document itself, or its plain text",
        ),
        media_type: text("Kind of document: `application/pdf` or `text/plain`"),
        data: text("The bytes in base64, or the text"),
      }),
      part({
        type: literal("url", "An address"),
        url: text("Address of the document"),
      }),
      part({
        type: literal("file", "A file the API already has"),
        file_id: text("Id of the file"),
      }),
      part({
        type: literal("content", "A document made of blocks"),
        content: union([
          text(),
          list(union([ref("TextBlockInput"), ref("ImageBlockInput")])),
        ], "Its content"),
      }),
    ], "Source of the document"),
    title: maybe(text("Its title")),
    context: maybe(text("Context for the model; not cited")),
    citations: maybe(
      shape("Whether the model may cite it", {
        enabled: flag("Citations on or off"),
      }),
    ),
  }, { given: true }),
  ToolResultBlockInput: shape("A result of a tool call that the host ran", {
    type: tag("tool_result"),
    tool_use_id: text("Id of the call"),
    content: maybe(
      union([
        text(),
        list(
          union([
            ref("TextBlockInput"),
            ref("ImageBlockInput"),
            ref("DocumentBlockInput"),
          ]),
        ),
      ], "The result"),
    ),
    is_error: maybe(flag("Whether the call failed; false when absent")),
  }, { given: true }),
  ContentBlockInput: known(
    union([
      ref("TextBlockInput"),
      ref("ImageBlockInput"),
      ref("DocumentBlockInput"),
      ref("ToolResultBlockInput"),
    ], "One block of a prompt"),
    { source: "The user line" },
  ),
});
