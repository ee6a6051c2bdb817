import { asObject, isObject, textOfError, typeOf } from "../errors/text.ts";
import { withTimeout } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { jsonCheckOf } from "../json_schema/compile.ts";
import type { McpServeHandler } from "../ports/mcp.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { HubOptions } from "../types/mcp_hub.ts";
import { JsonRpcError } from "./failure.ts";
import {
  ELICITATION_CAPABILITY,
  internalError,
  methodNotFound,
} from "./jsonrpc.ts";

type Answerers = Pick<
  HubOptions,
  "onElicitation" | "onSampling" | "roots"
>;

/** Client capabilities for the servers; some offer more tools to clients that can be asked. */
export function offeredCapabilities(
  { onElicitation, onSampling, roots }: Answerers,
): JsonObject {
  return {
    ...(onElicitation && ELICITATION_CAPABILITY),
    ...(onSampling && { sampling: {} }),
    ...(roots && { roots: {} }),
  };
}

interface Question {
  readonly name: keyof Answerers;
  /** Converts the answer of a handler to a result; throws when it is invalid. */
  toAnswer(answer: JsonValue, params: JsonObject): JsonObject;
}

const toAction = answerOf({
  type: "object",
  required: ["action"],
  properties: { action: { enum: ["accept", "decline", "cancel"] } },
});
const toRoots = answerOf({
  type: "object",
  required: ["roots"],
  properties: { roots: { type: "array" } },
});

const QUESTIONS: Readonly<Record<string, Question>> = {
  "elicitation/create": { name: "onElicitation", toAnswer: toElicitation },
  "sampling/createMessage": {
    name: "onSampling",
    toAnswer: answerOf({ type: "object" }),
  },
  "roots/list": {
    name: "roots",
    // A plain list of roots will do.
    toAnswer: (answer) =>
      toRoots(Array.isArray(answer) ? { roots: answer } : answer),
  },
};

/**
 * Answers the questions of one server by the handlers of the hub; what has none is refused.
 *
 * A handler that is late, throws or returns an invalid answer leads to a warning and an internal error, since the server
 * would wait for ever. A `JsonRpcError` that a handler throws is its answer.
 */
export function answerQuestions(
  server: string,
  settings: Answerers & Pick<HubOptions, "questionTimeoutMs">,
  warn: (text: string) => void,
): McpServeHandler {
  const { questionTimeoutMs: ms = Infinity } = settings;
  return async (method, params = {}, { signal }) => {
    const question = QUESTIONS[method];
    const handler = question && settings[question.name];
    if (handler === undefined) throw methodNotFound(method);
    const { name, toAnswer } = question as Question;
    const onTimeout = () => new Error(`did not answer within ${ms} ms`);
    try {
      const answer: unknown = await withTimeout(
        async (signal) => await handler(params, { server, signal }),
        { clock: systemClock, ms, signal, onTimeout },
      );
      return toAnswer(jsonCopy(answer), params);
    } catch (error) {
      // A cancelled question needs no answer.
      if (error instanceof JsonRpcError || signal.aborted) throw error;
      const text = `${name} ${textOfError(error)}`;
      warn(`Question of MCP server "${server}": ${text}`);
      throw internalError(text);
    }
  };
}

/** A value as JSON would carry it. */
export function jsonCopy(answer: unknown): JsonValue {
  const text = JSON.stringify(answer);
  if (text !== undefined) return JSON.parse(text);
  throw new TypeError(`must give an object, gave ${typeOf(answer)}`);
}

function answerOf(schema: JsonObject): (answer: JsonValue) => JsonObject {
  const problemOf = jsonCheckOf(schema);
  return (answer) => {
    const problem = problemOf(answer);
    // Each schema is one of an object.
    if (problem === undefined) return answer as JsonObject;
    throw new TypeError(`must give another answer: ${problem}`);
  };
}

/** The answer to a form, with the defaults of its schema; throws when it is invalid or does not fit the schema. */
function toElicitation(answer: JsonValue, params: JsonObject): JsonObject {
  const checked = toAction(answer);
  const schema = params.requestedSchema;
  if (checked.action !== "accept" || !isObject(schema)) return checked;
  const { properties } = schema;
  const fields = isObject(properties) ? Object.entries(properties) : [];
  const given = asObject(checked.content);
  const defaults = fields.flatMap(([key, field]) =>
    isObject(field) && field.default !== undefined && !(key in given)
      ? [[key, field.default] as const]
      : []
  );
  const content = { ...given, ...Object.fromEntries(defaults) };
  const problem = jsonCheckOf(schema)(content);
  if (problem === undefined) return { ...checked, content };
  throw new TypeError(`must give content that fits its form: ${problem}`);
}
