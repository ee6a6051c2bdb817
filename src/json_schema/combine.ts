import {
  type Compile,
  type Fact,
  fail,
  type Report,
  type Rule,
  type SchemaNode,
} from "./rule.ts";

/** So many reasons of alternatives stand in one text. */
const MOST_REASONS = 5;

/** The rules of `allOf`, `anyOf`, `oneOf`, `not` and `if`. */
export function combinedRules(
  schema: SchemaNode,
  compile: Compile,
): readonly Rule[] {
  const { allOf, anyOf, oneOf, not } = schema;
  return [
    ...(Array.isArray(allOf) ? allOf.map(compile) : []),
    ...(Array.isArray(anyOf) ? [anyOfRule(anyOf.map(compile))] : []),
    ...(Array.isArray(oneOf) ? [oneOfRule(oneOf.map(compile))] : []),
    ...(not === undefined ? [] : [notRule(compile(not))]),
    ...(schema.if === undefined ? [] : [conditionRule(schema, compile)]),
  ];
}

function anyOfRule(rules: readonly Rule[]): Rule {
  return (value, report) =>
    rules.some((rule) => rule(value)) || failAll(value, rules, report);
}

function oneOfRule(rules: readonly Rule[]): Rule {
  return (value, report) => {
    let count = 0;
    for (const rule of rules) if (rule(value)) count++;
    if (count === 1) return true;
    return count === 0
      ? failAll(value, rules, report)
      : fail(report, "fits more than one of the alternatives");
  };
}

function notRule(rule: Rule): Rule {
  return (value, report) => !rule(value) || fail(report, "is not allowed");
}

function conditionRule(schema: SchemaNode, compile: Compile): Rule {
  const condition = compile(schema.if);
  const whenTrue = compile(schema.then);
  const whenFalse = compile(schema.else);
  return (value, report) =>
    (condition(value) ? whenTrue : whenFalse)(value, report);
}

/** The alternative that came closest speaks, where only parts of the value are wrong; else each says its reason. */
function failAll(
  value: unknown,
  rules: readonly Rule[],
  report: Report | undefined,
): false {
  if (report === undefined) return false;
  const attempts = rules.map((rule) => {
    const facts: Fact[] = [];
    rule(value, { facts, path: report.path });
    return facts;
  });
  const partly = attempts
    .filter((facts) => facts.every(({ path }) => path !== report.path))
    .toSorted((a, b) => a.length - b.length);
  if (partly[0] !== undefined) {
    report.facts.push(...partly[0]);
    return false;
  }
  const reasons = new Set(attempts.flat().map(({ message }) => message));
  return fail(report, [...reasons].slice(0, MOST_REASONS).join(", or "));
}
