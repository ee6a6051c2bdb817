import { isObject, show, textOfError, typeOf } from "../errors/text.ts";
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

const QUESTIONS: Readonly<Record<string, Question>> = {
  "elicitation/create": { name: "onElicitation", toAnswer: toElicitation },
  "sampling/createMessage": { name: "onSampling", toAnswer: objectOf },
  "roots/list": { name: "roots", toAnswer: toRoots },
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

function objectOf(answer: JsonValue): JsonObject {
  if (isObject(answer)) return answer;
  throw new TypeError(`must give an object, gave ${typeOf(answer)}`);
}

const ACTIONS: readonly unknown[] = ["accept", "decline", "cancel"];

/** The answer to a form, with the defaults of its schema; throws when it is invalid or does not fit the schema. */
function toElicitation(
  answer: JsonValue,
  params: JsonObject,
): JsonObject {
  const { action } = objectOf(answer);
  if (!ACTIONS.includes(action)) {
    throw new TypeError(
      `must give an "action" of "accept", "decline" or "cancel": ${
        show(action)
      }`,
    );
  }
  const schema = params.requestedSchema;
  if (action !== "accept" || !isObject(schema)) return objectOf(answer);
  const complete = withDefaults(schema, objectOf(answer));
  const problem = jsonCheckOf(schema)(complete.content);
  if (problem === undefined) return complete;
  throw new TypeError(`must give content that fits its form: ${problem}`);
}

function withDefaults(
  { properties = {} }: JsonObject,
  answer: JsonObject,
): JsonObject {
  if (!isObject(properties)) return answer;
  const content = isObject(answer.content) ? answer.content : {};
  const defaults = Object.entries(properties).flatMap(([key, property]) => {
    const isOpen = content[key] === undefined && isObject(property) &&
      property.default !== undefined;
    return isOpen ? [[key, property.default] as const] : [];
  });
  return {
    ...answer,
    content: { ...content, ...Object.fromEntries(defaults) },
  };
}

/** A plain list of roots will do. */
function toRoots(answer: JsonValue): JsonObject {
  if (Array.isArray(answer)) return { roots: answer };
  const { roots } = objectOf(answer);
  if (Array.isArray(roots)) return objectOf(answer);
  throw new TypeError(`must give a list of roots, gave ${typeOf(roots)}`);
}
