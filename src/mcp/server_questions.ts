import type { McpServeHandler } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { HubOptions, ServerRequestContext } from "../types/mcp.ts";
import { isRecord, methodNotFound } from "./jsonrpc.ts";

/** The handlers of a hub for what its servers ask. */
export type Answerers = Pick<
  HubOptions,
  "onElicitation" | "onSampling" | "roots"
>;

/** What is offered to the servers: a server may have more tools for those who can be asked. */
export function offeredCapabilities(
  { onElicitation, onSampling, roots }: Answerers,
): JsonObject {
  return {
    ...(onElicitation && { elicitation: { form: {}, url: {} } }),
    ...(onSampling && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

/** Answers the questions of one server by the handlers of the hub; what has none is refused. */
export function answerQuestions(
  server: string,
  { onElicitation, onSampling, roots }: Answerers,
): McpServeHandler {
  return async (method, params = {}, { signal }) => {
    const context: ServerRequestContext = { server, signal };
    switch (method) {
      case "elicitation/create":
        if (onElicitation === undefined) break;
        return withDefaults(params, await onElicitation(params, context));
      case "sampling/createMessage":
        if (onSampling === undefined) break;
        return await onSampling(params, context);
      case "roots/list":
        if (roots === undefined) break;
        return toRoots(await roots(params, context));
    }
    throw methodNotFound(method);
  };
}

/** What an accepted form leaves out has the default of its schema. */
function withDefaults(params: JsonObject, answer: JsonValue): JsonValue {
  if (!isRecord(answer) || answer.action !== "accept") return answer;
  const schema = params.requestedSchema;
  const properties = isRecord(schema) ? schema.properties : undefined;
  if (!isRecord(properties)) return answer;
  const content = isRecord(answer.content) ? answer.content : {};
  const defaults = Object.entries(properties).flatMap(([key, property]) => {
    const isOpen = content[key] === undefined && isRecord(property) &&
      property.default !== undefined;
    return isOpen ? [[key, property.default] as const] : [];
  });
  return {
    ...answer,
    content: { ...content, ...Object.fromEntries(defaults) },
  };
}

/** A plain list of roots will do. */
function toRoots(answer: JsonValue): JsonValue {
  return Array.isArray(answer) ? { roots: answer } : answer;
}
