import { isObject, show, typeOf } from "../errors/text.ts";

/** A schema that is an object; its words are looked at where they are used. */
export type SchemaNode = { readonly [word: string]: unknown };

/** Place of a value; `undefined` is the root. */
export interface Path {
  readonly parent: Path | undefined;
  /** Under which key or index. */
  readonly key: string | number;
}

/** One thing that is wrong, not yet a text: `expected ... got ...`, or a message of its own. */
export interface Fact {
  readonly path: Path | undefined;
  /** The fault, unless it is an unexpected value. */
  readonly message?: string;
  /** Values that fit. */
  readonly expected?: readonly string[];
  readonly got?: string;
  /** Whether a word was expected, as those that tell alternatives apart. */
  readonly isWord?: boolean;
}

/** Collector of facts. */
export interface Report {
  readonly facts: Fact[];
  /** Place of the value. */
  readonly path: Path | undefined;
}

/** The members of a value that some word has looked at. */
export interface Seen {
  readonly keys: Set<string | number>;
  isAll: boolean;
}

/**
 * Whether a value holds; a report is given only after it did not, to hear why.
 *
 * Notes which members of the value it evaluates if `unevaluated` keywords need that.
 */
export type Rule<Value = unknown> = (
  value: Value,
  report?: Report,
  seen?: Seen,
) => boolean;

/** Makes the rule of a node. */
export type Compile = (schema: unknown) => Rule;

/** Longest list in an error. */
export const MOST_PROBLEMS = 20;

/** Notes where facts are collected what is wrong, or that another value was expected; always false. */
export function fail(
  report: Report | undefined,
  fact: string | Omit<Fact, "path" | "message">,
): false {
  report?.facts.push({
    path: report.path,
    ...typeof fact === "string" ? { message: fact } : fact,
  });
  return false;
}

/** Whether checking can stop after a fault: reasons are not wanted, or enough are known. */
export function isSettled(report: Report | undefined): boolean {
  return report === undefined || report.facts.length >= MOST_PROBLEMS;
}

/** The report for a value inside another. */
export function inside(
  report: Report | undefined,
  key: string | number,
): Report | undefined {
  return report && {
    facts: report.facts,
    path: { parent: report.path, key },
  };
}

/** Holds always. */
export function accept(): boolean {
  return true;
}

/** Holds always, and leaves nothing to others. */
export function acceptAll(_: unknown, __?: Report, seen?: Seen): boolean {
  if (seen !== undefined) seen.isAll = true;
  return true;
}

/** Whether a value holds; what was looked at counts only if it does. */
export function holds(rule: Rule, value: unknown, seen?: Seen): boolean {
  if (seen === undefined) return rule(value);
  const own: Seen = { keys: new Set(), isAll: false };
  if (!rule(value, undefined, own)) return false;
  for (const key of own.keys) seen.keys.add(key);
  seen.isAll ||= own.isAll;
  return true;
}

/** Holds never. */
export function refuse(_value: unknown, report?: Report): boolean {
  return fail(report, "is not allowed");
}

/** Every rule: up to the first that does not hold, or all of them for a report. */
export function every(rules: readonly Rule[]): Rule {
  const [first, second] = rules;
  if (first === undefined) return accept;
  if (second === undefined) return first;
  return (value, report, seen) => {
    let isGood = true;
    for (const rule of rules) {
      if (rule(value, report, seen)) continue;
      isGood = false;
      if (isSettled(report)) break;
    }
    return isGood;
  };
}

/** A whole number of at least 0 that a word gives; `undefined` when it gives none. */
export function sizeOf(word: unknown): number | undefined {
  return typeof word === "number" && word >= 0 ? word : undefined;
}

/** Checks a count against a minimum and a maximum keyword; no rule where every count is right. */
export function countRules(
  fewest: unknown,
  most: unknown,
  what: string,
): readonly Rule<number>[] {
  const min = sizeOf(fewest) ?? 0;
  const max = sizeOf(most) ?? Infinity;
  if (min === 0 && max === Infinity) return [];
  return [(count, report) => {
    if (count >= min && count <= max) return true;
    const limit = count < min ? `at least ${min}` : `at most ${max}`;
    return fail(report, { expected: [`${limit} ${what}`], got: `${count}` });
  }];
}

/** Deep equality of JSON values; the order of keys does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length &&
      a.every((item, index) => isSame(item, b[index]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

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
  // OpenAPI for "or null".
  if (nullable === true) tests.push((value) => value === null);
  const [only] = tests;
  // One test needs no loop.
  const test = tests.length === 1 && only !== undefined
    ? only
    : (value: unknown) => tests.some((one) => one(value));
  return [(value, report) =>
    test(value) || fail(report, {
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
      return report !== undefined && fail(report, {
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
  const { minimum, maximum, multipleOf } = schema;
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
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
      fail(report, { expected, got: show(value) })
    );
  };
  // Draft 4 has a flag beside the limit, later drafts a limit of its own.
  if (above !== true) {
    add(minimum, "at least", (value, least) => value >= least);
  }
  if (below !== true) add(maximum, "at most", (value, most) => value <= most);
  add(
    above === true ? minimum : above,
    "more than",
    (value, than) => value > than,
  );
  add(
    below === true ? maximum : below,
    "less than",
    (value, than) => value < than,
  );
  if (multipleOf !== 0) add(multipleOf, "a multiple of", isMultiple);
  return rules;
}

/** 0.3 is a multiple of 0.1, whatever the remainder says. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
