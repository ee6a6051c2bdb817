import {
  type Compile,
  type Fact,
  fail,
  holds,
  misfit,
  type Report,
  type Rule,
  type SchemaNode,
} from "./rule.ts";

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
  return (value, report, seen) => {
    // Every one that fits tells what it has looked at.
    const fits = seen === undefined
      ? rules.some((rule) => rule(value))
      : rules.filter((rule) => holds(rule, value, seen)).length > 0;
    return fits || failAll(value, rules, report);
  };
}

function oneOfRule(rules: readonly Rule[]): Rule {
  return (value, report, seen) => {
    let count = 0;
    for (const rule of rules) if (holds(rule, value, seen)) count++;
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
  return (value, report, seen) => {
    const rule = holds(condition, value, seen) ? whenTrue : whenFalse;
    return rule(value, report, seen);
  };
}

/**
 * The alternative that the value wants to be speaks: one of its kind whose words it has, with the fewest faults.
 * Where there is none, what tells the alternatives apart is wrong, or missing.
 */
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
  const ofKind = attempts
    .filter((facts) => facts.every(({ path }) => path !== report.path))
    .toSorted((a, b) => a.length - b.length);
  if (ofKind.length === 0) return tellAll(attempts.flat(), report);
  const wanted = ofKind.find((facts) => !facts.some(({ isWord }) => isWord));
  const words = ofKind.map((facts) => facts.find(({ isWord }) => isWord));
  const key = words[0]?.path?.key;
  const isTag = wanted === undefined && key !== undefined &&
    ofKind.length > 1 &&
    words.every((word) =>
      word?.path?.parent === report.path && word?.path?.key === key
    );
  if (!isTag) {
    report.facts.push(...wanted ?? ofKind[0] ?? []);
    return false;
  }
  const path = { parent: report.path, key };
  return tellAll(words.filter((word) => word !== undefined), {
    facts: report.facts,
    path,
  });
}

/** What is wrong by all alternatives with one value, in one text. */
function tellAll(facts: readonly Fact[], report: Report): false {
  const reasons = new Set<string>();
  const expected = new Set<string>();
  for (const fact of facts) {
    for (const one of fact.expected ?? []) expected.add(one);
    if (fact.message !== undefined) reasons.add(fact.message);
  }
  if (expected.size === 0) return fail(report, [...reasons].join(", or "));
  const got = facts.find(({ isWord }) => isWord) ??
    facts.find((fact) => fact.got !== undefined);
  return misfit(report, {
    expected: [...expected],
    got: got?.got ?? "another value",
    isWord: facts.some(({ isWord }) => isWord),
  });
}
