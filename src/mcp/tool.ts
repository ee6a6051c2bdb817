import { isPromise } from "../async/deferred.ts";
import { isObject, textOfError } from "../errors/text.ts";
import { refuse } from "../options/refuse.ts";
import type { Verdict } from "../options/schema_check.ts";
import type {
  CallToolResult,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolSchemas,
} from "../types/mcp_tool.ts";
import type { Schema } from "../types/schema.ts";
import type { JsonObject } from "../types/json.ts";
import { readSchema } from "./tool_schema.ts";

/**
 * Creates a tool from a schema and a function.
 *
 * Shape: `input` is TypeBox, zod 4, any Standard JSON Schema (arktype, valibot with its JSON Schema package) or a plain
 * JSON Schema object, always of an object; the type of `args` follows from it. Arguments that do not fit never reach
 * `run`: the model gets a failed result that names the problem. An error that `run` throws becomes a failed result, too.
 *
 * @typeParam S The schema of the arguments
 * @typeParam O The schema of the structured content
 * @param def Name, description, schema and the function
 * @returns The tool, for {@link createMcpServer}
 * @throws {ConfigError} If the name is empty, or a schema is not one of an object or cannot be expressed as JSON Schema
 *
 * @example Define a tool that adds two numbers
 * ```ts
 * import { tool } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const add = tool({
 *   name: "add",
 *   description: "Adds two numbers",
 *   input: {
 *     type: "object",
 *     properties: { a: { type: "number" }, b: { type: "number" } },
 *     required: ["a", "b"],
 *   },
 *   run: ({ a, b }) => `${a + b}`,
 * });
 *
 * assert.deepEqual(await add.call({ a: 1, b: 2 }), {
 *   content: [{ type: "text", text: "3" }],
 * });
 * assert.equal((await add.call({ a: "one" })).isError, true);
 * ```
 */
export function tool<
  const S extends Schema,
  const O extends Schema | undefined = undefined,
>(def: ToolDefinition<S, O>): Tool {
  checkForm(def);
  const { name, title, description, annotations, meta } = def;
  if (typeof name !== "string" || name.trim() !== name || name === "") {
    refuse("tools.name", name, "a text without blanks at its ends");
  }
  if (typeof def.run !== "function") {
    refuse(`tools.${name}.run`, def.run, "a function");
  }
  const input = readSchema(def.input, `tools.${name}.input`);
  const output = def.output === undefined
    ? undefined
    : readSchema(def.output, `tools.${name}.output`);

  function run(verdict: Verdict, context: ToolContext): Answer {
    if (verdict.problem !== undefined) {
      return failedResult(
        `Invalid arguments for tool "${name}": ${verdict.problem}`,
      );
    }
    // The schema has just said that the value is of its type.
    return follow(def.run(verdict.value as never, context) as unknown, finish);
  }

  function finish(returned: unknown): Answer {
    const result = toResult(returned);
    const { isError, structuredContent } = result;
    if (output === undefined || isError === true) return result;
    const verdict = structuredContent === undefined
      ? { problem: "there is no structured content" }
      : output.check(structuredContent);
    return follow<Verdict>(
      verdict,
      ({ problem }) =>
        problem === undefined ? result : failedResult(
          `Tool "${name}" gave a result that does not fit its output schema: ${problem}`,
        ),
    );
  }

  async function schemas(): Promise<ToolSchemas> {
    const [inputSchema, outputSchema] = await Promise.all([
      input.load?.() ?? input.json,
      output?.load?.() ?? output?.json,
    ]);
    return { inputSchema, ...outputSchema !== undefined && { outputSchema } };
  }

  return {
    name,
    ...title !== undefined && { title },
    description,
    inputSchema: input.json,
    ...output !== undefined && { outputSchema: output.json },
    ...annotations !== undefined && { annotations },
    ...meta !== undefined && { meta },
    ...(input.load ?? output?.load) !== undefined && { schemas },
    call: (args, context = NO_CONTEXT) =>
      follow(
        args,
        () => follow(input.check(args), (verdict) => run(verdict, context)),
      ),
  };
}

/** Names of other SDKs, and ours. */
const OTHER_NAMES = {
  handler: "run",
  inputSchema: "input",
  outputSchema: "output",
} as const;

/** JavaScript programs that come from another SDK would lose the schema or the function. */
function checkForm(def: unknown): void {
  if (!isObject(def)) {
    refuse("tools", def, "one object: tool({ name, description, input, run })");
  }
  for (const [theirs, ours] of Object.entries(OTHER_NAMES)) {
    if (!Object.hasOwn(def, theirs)) continue;
    const must = `left out: use "${ours}" in place of "${theirs}"`;
    refuse(`tools.${def.name}.${theirs}`, def[theirs], must);
  }
}

type Answer = CallToolResult | Promise<CallToolResult>;

/** Continues with a value, at once or when it resolves; a failure becomes a failed result. */
function follow<T>(value: T | Promise<T>, next: (value: T) => Answer): Answer {
  return isPromise(value)
    ? value.then((one) => attempt(next, one), thrownResult)
    : attempt(next, value);
}

function attempt<T>(next: (value: T) => Answer, value: T): Answer {
  try {
    return next(value);
  } catch (error) {
    return thrownResult(error);
  }
}

const NO_CONTEXT: ToolContext = {
  signal: new AbortController().signal,
  progress: () => {},
};

/**
 * The result of a tool on the wire: a value that is neither a text nor an object goes as its JSON text, nothing at all
 * as an empty answer.
 *
 * Throws only for what would reach the model as something else.
 */
function toResult(returned: unknown): CallToolResult {
  if (typeof returned === "string") return textResult(returned);
  if (returned === undefined || returned === null) return { content: [] };
  if (isObject(returned) && Array.isArray(returned.content)) {
    // It has the one member that the wire asks for.
    return returned as unknown as CallToolResult;
  }
  const json: string | undefined = JSON.stringify(returned);
  // It is not null itself: NaN and an invalid date are written like this.
  if (json === undefined || json === "null") {
    throw new TypeError(
      `The tool returned a value of type "${typeof returned}" that JSON cannot represent`,
    );
  }
  // An object such as a date or a URL is written as a text.
  if (!json.startsWith("{")) return textResult(json);
  return { ...textResult(json), structuredContent: returned as JsonObject };
}

function failedResult(text: string): CallToolResult {
  return { ...textResult(text), isError: true };
}

export function thrownResult(error: unknown): CallToolResult {
  return failedResult(textOfError(error));
}

function textResult(text: string): CallToolResult {
  return { content: [{ type: "text", text }] };
}
