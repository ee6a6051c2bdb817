import { isPromise } from "../async/deferred.ts";
import { isObject } from "../errors/is_object.ts";
import { refuse } from "../options/fields.ts";
import type { Verdict } from "../options/schema_check.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  CallToolResult,
  Tool,
  ToolAnnotations,
  ToolContext,
  ToolDefinition,
  ToolSchemas,
} from "../types/mcp.ts";
import type { Schema } from "../types/schema.ts";
import { failedResult, thrownResult, toResult } from "./tool_result.ts";
import { type ReadSchema, readSchema } from "./schema.ts";

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
  return new DefinedTool(def);
}

/** What a caller without a context of its own hands over. */
const NO_CONTEXT: ToolContext = {
  signal: new AbortController().signal,
  progress: () => {},
};

class DefinedTool<S extends Schema, O extends Schema | undefined>
  implements Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  readonly meta?: JsonObject;
  readonly schemas?: () => Promise<ToolSchemas>;
  readonly #definition: ToolDefinition<S, O>;
  readonly #input: ReadSchema;
  readonly #output: ReadSchema | undefined;

  constructor(definition: ToolDefinition<S, O>) {
    const { name, title, description, input, output, annotations, meta } =
      definition;
    checkName(name);
    if (typeof definition.run !== "function") {
      refuse(`tools.${name}.run`, definition.run, "a function");
    }
    this.name = name;
    if (title !== undefined) this.title = title;
    this.description = description;
    this.#definition = definition;
    this.#input = readSchema(input, `tools.${name}.input`);
    this.inputSchema = this.#input.json;
    if (output !== undefined) {
      this.#output = readSchema(output, `tools.${name}.output`);
      this.outputSchema = this.#output.json;
    }
    if (annotations !== undefined) this.annotations = annotations;
    if (meta !== undefined) this.meta = meta;
    if (this.#input.load !== undefined || this.#output?.load !== undefined) {
      this.schemas = () => this.#schemas();
    }
  }

  async #schemas(): Promise<ToolSchemas> {
    const [inputSchema, outputSchema] = await Promise.all([
      this.#input.load?.() ?? this.#input.json,
      this.#output?.load?.() ?? this.#output?.json,
    ]);
    return outputSchema === undefined
      ? { inputSchema }
      : { inputSchema, outputSchema };
  }

  call(
    args: JsonObject,
    context: ToolContext = NO_CONTEXT,
  ): CallToolResult | Promise<CallToolResult> {
    try {
      const verdict = this.#input.check(args);
      if (!isPromise(verdict)) return this.#run(verdict, context);
      return verdict.then((one) => this.#run(one, context))
        .catch(thrownResult);
    } catch (error) {
      return thrownResult(error);
    }
  }

  #run(
    verdict: Verdict,
    context: ToolContext,
  ): CallToolResult | Promise<CallToolResult> {
    if (verdict.problem !== undefined) {
      return failedResult(
        `Invalid arguments for tool "${this.name}": ${verdict.problem}`,
      );
    }
    // The schema has just said that the value is of its type.
    const returned: unknown = this.#definition.run(
      verdict.value as never,
      context,
    );
    if (!isPromise(returned)) return this.#finish(returned);
    return returned.then((one) => this.#finishLate(one), thrownResult);
  }

  /** What cannot be told in JSON is thrown. */
  #finishLate(returned: unknown): CallToolResult | Promise<CallToolResult> {
    try {
      return this.#finish(returned);
    } catch (error) {
      return thrownResult(error);
    }
  }

  #finish(returned: unknown): CallToolResult | Promise<CallToolResult> {
    const result = toResult(returned);
    if (this.#output === undefined || result.isError === true) return result;
    if (result.structuredContent === undefined) {
      return this.#misfit("there is no structured content");
    }
    const verdict = this.#output.check(result.structuredContent);
    if (!isPromise(verdict)) return this.#judge(result, verdict);
    return verdict.then((one) => this.#judge(result, one)).catch(thrownResult);
  }

  #judge(result: CallToolResult, { problem }: Verdict): CallToolResult {
    return problem === undefined ? result : this.#misfit(problem);
  }

  #misfit(problem: string): CallToolResult {
    return failedResult(
      `Tool "${this.name}" gave a result that does not fit its output schema: ${problem}`,
    );
  }
}

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
