import { isObject } from "../errors/is_object.ts";
import { show, typeOf } from "../errors/text.ts";
import {
  accept,
  fail,
  isSame,
  misfit,
  type Rule,
  type SchemaNode,
  sizeOf,
} from "./rule.ts";

/** The rules of `type`, `const` and `enum`, and those of texts and numbers, which other values pass. */
export function valueRules(schema: SchemaNode): readonly Rule[] {
  return [
    ...typeRules(schema),
    ...constRules(schema),
    ...enumRules(schema),
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
  const test = oneOfTests(tests);
  return [(value, report) =>
    test(value) || misfit(report, {
      expected: types,
      // 1.5 is a number too, and the kind alone would not tell what is wrong.
      got: type === "integer" && typeof value === "number"
        ? show(value)
        : typeOf(value),
    })];
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
    misfit(report, {
      expected: [show(wanted)],
      got: show(value),
      isWord: true,
    })];
}

function enumRules({ enum: options }: SchemaNode): readonly Rule[] {
  if (!Array.isArray(options)) return [];
  return [(value, report) =>
    options.some((option) => isSame(value, option)) ||
    misfit(report, {
      expected: options.map(show),
      got: show(value),
      isWord: true,
    })];
}

/** What is wrong with a value of the kind that a word is for: what was expected, and what came. */
type Judge<T> = (value: T) => readonly [expected: string, got: number] | false;

function textRules(schema: SchemaNode): readonly Rule[] {
  const least = sizeOf(schema.minLength);
  const most = sizeOf(schema.maxLength);
  const pattern = toPattern(schema.pattern);
  const rules: Rule[] = [];
  if (least !== undefined) {
    rules.push(
      ofTexts((text) =>
        (text.length < least || lengthOf(text) < least) &&
        [`at least ${least} characters`, lengthOf(text)]
      ),
    );
  }
  if (most !== undefined) {
    rules.push(ofTexts((text) =>
      text.length > most && lengthOf(text) > most &&
      [`at most ${most} characters`, lengthOf(text)]
    ));
  }
  if (pattern !== undefined) {
    rules.push((value, report) =>
      typeof value !== "string" || pattern.test(value) ||
      fail(report, `does not match the pattern ${pattern.source}`)
    );
  }
  return rules;
}

function ofTexts(judge: Judge<string>): Rule {
  return (value, report) => {
    const fault = typeof value === "string" && judge(value);
    return fault === false ||
      misfit(report, { expected: [fault[0]], got: `${fault[1]}` });
  };
}

/** Characters, not halves of them. */
function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
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
