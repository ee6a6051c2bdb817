import { isObject } from "../errors/is_object.ts";
import { show, typeOf } from "../errors/text.ts";
import {
  accept,
  countRules,
  fail,
  isSame,
  misfit,
  type Rule,
  type SchemaNode,
} from "./rule.ts";

/** The rules of `type`, `const` and `enum`, and those of texts and numbers, which other values pass. */
export function valueRules(schema: SchemaNode): readonly Rule[] {
  return [
    ...typeRules(schema),
    ...wordRules(schema),
    ...textRules(schema),
    ...numberRules(schema),
  ];
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
  const [only] = tests;
  // One test needs no loop.
  const test = tests.length === 1 && only !== undefined
    ? only
    : (value: unknown) => tests.some((one) => one(value));
  return [(value, report) =>
    test(value) || misfit(report, {
      expected: types,
      // 1.5 is a number too, and the kind alone would not tell what is wrong.
      got: type === "integer" && typeof value === "number"
        ? show(value)
        : typeOf(value),
    })];
}

function wordRules(schema: SchemaNode): readonly Rule[] {
  const rules: Rule[] = [];
  const add = (words: readonly unknown[]) => {
    rules.push((value, report) => {
      if (words.some((word) => isSame(value, word))) return true;
      // There may be thousands: they are written out for those who ask alone.
      return report !== undefined && misfit(report, {
        expected: words.map(show),
        got: show(value),
        isWord: true,
      });
    });
  };
  if (Object.hasOwn(schema, "const")) add([schema.const]);
  if (Array.isArray(schema.enum)) add(schema.enum);
  return rules;
}

function textRules(schema: SchemaNode): readonly Rule[] {
  const { minLength, maxLength } = schema;
  const rules = countRules(minLength, maxLength, "characters")
    .map((rule): Rule => (value, report) =>
      typeof value !== "string" || rule(lengthOf(value), report)
    );
  const pattern = toPattern(schema.pattern);
  if (pattern === undefined) return rules;
  return [
    ...rules,
    (value, report) =>
      typeof value !== "string" || pattern.test(value) ||
      fail(report, `does not match the pattern ${pattern.source}`),
  ];
}

/** Characters, not halves of them. */
function lengthOf(text: string): number {
  const pairs = text.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g);
  return text.length - (pairs?.length ?? 0);
}

/** The pattern as a regular expression; `undefined` when JavaScript does not understand it. */
export function toPattern(pattern: unknown): RegExp | undefined {
  if (typeof pattern !== "string") return undefined;
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(pattern, flags);
    } catch {
      // Some patterns are valid without the flag only, others come from another language.
    }
  }
  return undefined;
}

function numberRules(schema: SchemaNode): readonly Rule[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } =
    schema;
  const rules: Rule[] = [];
  const add = (
    limit: unknown,
    words: string,
    fits: (value: number, limit: number) => boolean,
  ) => {
    if (typeof limit !== "number") return;
    const expected = [`${words} ${limit}`];
    rules.push((value, report) =>
      typeof value !== "number" || fits(value, limit) ||
      misfit(report, { expected, got: show(value) })
    );
  };
  // Draft 4 has a flag beside the limit, later drafts a limit of its own.
  if (exclusiveMinimum === true) add(minimum, "more than", isAbove);
  else add(minimum, "at least", (value, limit) => value >= limit);
  if (exclusiveMaximum === true) add(maximum, "less than", isBelow);
  else add(maximum, "at most", (value, limit) => value <= limit);
  add(exclusiveMinimum, "more than", isAbove);
  add(exclusiveMaximum, "less than", isBelow);
  if (multipleOf !== 0) add(multipleOf, "a multiple of", isMultiple);
  return rules;
}

function isAbove(value: number, limit: number): boolean {
  return value > limit;
}

function isBelow(value: number, limit: number): boolean {
  return value < limit;
}

/** 0.3 is a multiple of 0.1, whatever the remainder says. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
