import { fail, type Rule, type SchemaNode, sizeOf } from "./rule.ts";

/** The rules of texts and numbers; other values pass them. */
export function scalarRules(schema: SchemaNode): readonly Rule[] {
  return [...textRules(schema), ...numberRules(schema)];
}

function textRules(schema: SchemaNode): readonly Rule[] {
  const rules: ((text: string) => string | undefined)[] = [];
  const least = sizeOf(schema.minLength);
  const most = sizeOf(schema.maxLength);
  const pattern = toPattern(schema.pattern);
  if (least !== undefined) {
    rules.push((text) =>
      text.length >= least && lengthOf(text) >= least
        ? undefined
        : `expected at least ${least} characters, got ${lengthOf(text)}`
    );
  }
  if (most !== undefined) {
    rules.push((text) =>
      text.length <= most || lengthOf(text) <= most
        ? undefined
        : `expected at most ${most} characters, got ${lengthOf(text)}`
    );
  }
  if (pattern !== undefined) {
    rules.push((text) =>
      pattern.test(text)
        ? undefined
        : `does not match the pattern ${pattern.source}`
    );
  }
  return rules.map((problemOf) => (value, report) => {
    if (typeof value !== "string") return true;
    const problem = problemOf(value);
    return problem === undefined || fail(report, problem);
  });
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
  const rules: ((value: number) => string | undefined)[] = [];
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } =
    schema;
  // Draft 4 has a flag beside the limit, later drafts a limit of its own.
  if (typeof minimum === "number") {
    rules.push(exclusiveMinimum === true ? above(minimum) : atLeast(minimum));
  }
  if (typeof maximum === "number") {
    rules.push(exclusiveMaximum === true ? below(maximum) : atMost(maximum));
  }
  if (typeof exclusiveMinimum === "number") rules.push(above(exclusiveMinimum));
  if (typeof exclusiveMaximum === "number") rules.push(below(exclusiveMaximum));
  if (typeof multipleOf === "number" && multipleOf > 0) {
    rules.push((value) =>
      isMultiple(value, multipleOf)
        ? undefined
        : `expected a multiple of ${multipleOf}, got ${value}`
    );
  }
  return rules.map((problemOf) => (value, report) => {
    if (typeof value !== "number") return true;
    const problem = problemOf(value);
    return problem === undefined || fail(report, problem);
  });
}

type NumberRule = (value: number) => string | undefined;

function atLeast(limit: number): NumberRule {
  return (value) =>
    value >= limit ? undefined : `expected at least ${limit}, got ${value}`;
}

function atMost(limit: number): NumberRule {
  return (value) =>
    value <= limit ? undefined : `expected at most ${limit}, got ${value}`;
}

function above(limit: number): NumberRule {
  return (value) =>
    value > limit ? undefined : `expected more than ${limit}, got ${value}`;
}

function below(limit: number): NumberRule {
  return (value) =>
    value < limit ? undefined : `expected less than ${limit}, got ${value}`;
}

/** 0.3 is a multiple of 0.1, whatever the remainder says. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  return Math.abs(quotient - Math.round(quotient)) < 1e-9;
}
