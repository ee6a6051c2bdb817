import { isPromise } from "../async/deferred.ts";
import { isObject } from "../errors/text.ts";
import { refuse } from "../options/fields.ts";
import type { Verdict } from "../options/schema_check.ts";
import type {
  CallToolResult,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolSchemas,
} from "../types/mcp.ts";
import type { Schema } from "../types/schema.ts";
import { failedResult, thrownResult, toResult } from "./tool_result.ts";
import { readSchema } from "./schema.ts";

/**
 * Makes a tool out of a schema and a function.
 *
 * Shape: `input` is TypeBox, zod 4, any Standard JSON Schema (arktype, valibot with its JSON Schema package) or a plain
 * JSON Schema object, always of an object; the type of `args` follows from it. Arguments that do not fit never reach
 * `run`: the model gets a failed result that says what is wrong. What `run` throws becomes a failed result too.
 *
 * @typeParam S The schema of the arguments
 * @typeParam O The schema of the structured content
 * @param def Name, description, schema and the function
 * @returns The tool, for {@link createMcpServer}
 * @throws {ConfigError} If the form is that of another SDK, the name is empty, or a schema is not one of an object or cannot be told as JSON Schema
 *
 * @example A tool that adds
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
  checkName(name);
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
    const returned: unknown = def.run(verdict.value as never, context);
    if (!isPromise(returned)) return finish(returned);
    return returned.then(finishLate, thrownResult);
  }

  /** What cannot be told in JSON is thrown. */
  function finishLate(returned: unknown): Answer {
    try {
      return finish(returned);
    } catch (error) {
      return thrownResult(error);
    }
  }

  function finish(returned: unknown): Answer {
    const result = toResult(returned);
    if (output === undefined || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      return misfit("there is no structured content");
    }
    const verdict = output.check(result.structuredContent);
    if (!isPromise(verdict)) return judge(result, verdict);
    return verdict.then((one) => judge(result, one)).catch(thrownResult);
  }

  function judge(result: CallToolResult, { problem }: Verdict): Answer {
    return problem === undefined ? result : misfit(problem);
  }

  function misfit(problem: string): CallToolResult {
    return failedResult(
      `Tool "${name}" gave a result that does not fit its output schema: ${problem}`,
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
    call(args, context = NO_CONTEXT) {
      try {
        const verdict = input.check(args);
        if (!isPromise(verdict)) return run(verdict, context);
        return verdict.then((one) => run(one, context)).catch(thrownResult);
      } catch (error) {
        return thrownResult(error);
      }
    },
  };
}

type Answer = CallToolResult | Promise<CallToolResult>;

/** What a caller without a context of its own hands over. */
const NO_CONTEXT: ToolContext = {
  signal: new AbortController().signal,
  progress: () => {},
};

/** What is called otherwise elsewhere, for those who come from another SDK. */
const OTHER_WORDS: readonly (readonly [string, string])[] = [
  ["handler", "run"],
  ["inputSchema", "input"],
  ["outputSchema", "output"],
];

/** Says what a definition of another SDK must look like here: it would be taken, and fail when it is called. */
function checkForm(definition: unknown): void {
  if (!isObject(definition)) {
    const must = "one object, as in tool({ name, description, input, run })";
    refuse("tools", definition, must);
  }
  const { name } = definition;
  for (const [word, ours] of OTHER_WORDS) {
    if (!(word in definition)) continue;
    const key = `tools.${name}.${word}`;
    refuse(
      key,
      definition[word],
      `left out: use "${ours}" in place of "${word}"`,
    );
  }
}

function checkName(name: unknown): void {
  if (typeof name === "string" && name.trim() === name && name !== "") return;
  refuse("tools.name", name, "a text without blanks at its ends");
}
