import { isObject } from "../errors/is_object.ts";
import { show, typeOf } from "../errors/text.ts";
import { accept, fail, isSame, type Rule, type SchemaNode } from "./rule.ts";

/** The rules of `type`, `const` and `enum`. */
export function valueRules(schema: SchemaNode): readonly Rule[] {
  return [...typeRules(schema), ...constRules(schema), ...enumRules(schema)];
}

const TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
};

function typeRules({ type, nullable }: SchemaNode): readonly Rule[] {
  const types = (Array.isArray(type) ? type : [type])
    .filter((one): one is string => typeof one === "string");
  if (types.length === 0) return [];
  const tests = types.map((one) => TESTS[one] ?? accept);
  // What OpenAPI says for "or null".
  if (nullable === true) tests.push((value) => value === null);
  const test = oneOfTests(tests);
  return [(value, report) =>
    test(value) ||
    fail(report, `expected ${types.join(" or ")}, got ${typeOf(value)}`)];
}

/** One test needs no loop. */
function oneOfTests(
  tests: readonly ((value: unknown) => boolean)[],
): (value: unknown) => boolean {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (value) => tests.some((test) => test(value));
}

function constRules(schema: SchemaNode): readonly Rule[] {
  if (!Object.hasOwn(schema, "const")) return [];
  const wanted = schema.const;
  return [(value, report) =>
    isSame(value, wanted) ||
    fail(report, `expected ${show(wanted)}, got ${show(value)}`)];
}

function enumRules({ enum: options }: SchemaNode): readonly Rule[] {
  if (!Array.isArray(options)) return [];
  return [(value, report) =>
    options.some((option) => isSame(value, option)) ||
    fail(
      report,
      `expected one of ${options.map(show).join(", ")}, got ${show(value)}`,
    )];
}
