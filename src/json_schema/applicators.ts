import { asObject, isObject, show } from "../errors/text.ts";
import {
  accept,
  acceptAll,
  type Compile,
  countRules,
  type Fact,
  fail,
  holds,
  inside,
  isSame,
  isSettled,
  type Report,
  type Rule,
  type SchemaNode,
  type Seen,
  sizeOf,
  toPattern,
} from "./rule.ts";

/** The rules of objects; other values pass them. */
export function objectRules(
  schema: SchemaNode,
  compile: Compile,
): readonly Rule[] {
  const { required, propertyNames, minProperties, maxProperties } = schema;
  const rules: readonly ObjectRule[] = [
    ...requiredRules(required),
    ...memberRules(schema, compile),
    ...nameRules(propertyNames, compile),
    ...countRules(minProperties, maxProperties, "properties")
      .map((rule): ObjectRule => (value, report) =>
        rule(Object.keys(value).length, report)
      ),
    ...dependencyRules(schema, compile),
  ];
  return rules.map((rule) => (value, report, seen) =>
    !isObject(value) || rule(value, report, seen)
  );
}

type ObjectRule = Rule<SchemaNode>;

function requiredRules(required: unknown): readonly ObjectRule[] {
  if (!Array.isArray(required)) return [];
  const keys = required.filter((key) => typeof key === "string");
  if (keys.length === 0) return [];
  return [(value, report) => {
    let isGood = true;
    for (const key of keys) {
      if (Object.hasOwn(value, key)) continue;
      isGood = fail(inside(report, key), "is missing");
      if (isSettled(report)) break;
    }
    return isGood;
  }];
}

function memberRules(
  schema: SchemaNode,
  compile: Compile,
): readonly ObjectRule[] {
  const { properties, patternProperties, additionalProperties } = schema;
  const named = new Map(
    Object.entries(asObject(properties))
      .map(([key, node]) => [key, compile(node)]),
  );
  const patterns = Object.entries(
    asObject(patternProperties),
  ).flatMap(([source, node]) => {
    const pattern = toPattern(source);
    return pattern === undefined ? [] : [{ pattern, rule: compile(node) }];
  });
  const other = additionalProperties === undefined
    ? accept
    : compile(additionalProperties);
  const takesAll = additionalProperties !== undefined;
  if (named.size === 0 && patterns.length === 0 && other === accept) {
    return takesAll ? [acceptAll] : [];
  }
  const isClosed = additionalProperties === false;

  return [(value, report, seen) => {
    if (seen !== undefined && takesAll) seen.isAll = true;
    let isGood = true;
    for (const key of Object.keys(value)) {
      const part = value[key];
      // An absent value reads as an absent key: JSON knows no `undefined`.
      if (part === undefined) continue;
      const place = inside(report, key);
      const rule = named.get(key);
      let isKnown = rule !== undefined;
      let isFit = rule === undefined || rule(part, place);
      for (const one of patterns) {
        if (!one.pattern.test(key)) continue;
        isKnown = true;
        isFit = one.rule(part, place) && isFit;
      }
      if (isKnown) seen?.keys.add(key);
      else if (isClosed) isFit = fail(place, "is not a known property");
      else isFit = other(part, place);
      if (isFit) continue;
      isGood = false;
      if (isSettled(report)) break;
    }
    return isGood;
  }];
}

function nameRules(
  propertyNames: unknown,
  compile: Compile,
): readonly ObjectRule[] {
  if (propertyNames === undefined) return [];
  const rule = compile(propertyNames);
  return [
    (value, report) =>
      Object.keys(value).every((key) => rule(key, inside(report, key))),
  ];
}

/** `dependencies` of the older drafts holds both kinds. */
function dependencyRules(
  schema: SchemaNode,
  compile: Compile,
): readonly ObjectRule[] {
  const { dependentRequired, dependentSchemas, dependencies } = schema;
  const all = [dependentRequired, dependentSchemas, dependencies]
    .flatMap((one) => isObject(one) ? Object.entries(one) : []);
  return all.map(([key, needed]) => {
    if (!Array.isArray(needed)) {
      const rule = compile(needed);
      return (value, report, seen) =>
        !Object.hasOwn(value, key) || rule(value, report, seen);
    }
    return (value, report) =>
      !Object.hasOwn(value, key) ||
      needed.every((one) =>
        Object.hasOwn(value, one) ||
        fail(inside(report, one), `is missing beside ${show(key)}`)
      );
  });
}

/** The rules of arrays; other values pass them. */
export function arrayRules(
  schema: SchemaNode,
  compile: Compile,
): readonly Rule[] {
  const { minItems, maxItems } = schema;
  const rules: readonly ArrayRule[] = [
    ...itemRules(schema, compile),
    ...countRules(minItems, maxItems, "items")
      .map((rule): ArrayRule => ({ length }, report) => rule(length, report)),
    ...containsRules(schema, compile),
    ...(schema.uniqueItems === true ? [hasNoTwins] : []),
  ];
  return rules.map((rule) => (value, report, seen) =>
    !Array.isArray(value) || rule(value, report, seen)
  );
}

type ArrayRule = Rule<readonly unknown[]>;

/** Up to draft 2019-09 an array under `items` is what `prefixItems` is today. */
function itemRules(
  schema: SchemaNode,
  compile: Compile,
): readonly ArrayRule[] {
  const { items, prefixItems, additionalItems } = schema;
  const [first, rest] = Array.isArray(items)
    ? [items, additionalItems]
    : [Array.isArray(prefixItems) ? prefixItems : [], items];
  if (first.length === 0 && rest === undefined) return [];
  const rules = first.map(compile);
  const other = rest === undefined ? accept : compile(rest);
  return [(values, report, seen) => {
    if (seen !== undefined) {
      if (rest !== undefined) seen.isAll = true;
      for (let i = 0; i < rules.length; i++) seen.keys.add(i);
    }
    let isGood = true;
    for (let i = 0; i < values.length; i++) {
      const rule = rules[i] ?? other;
      if (rule(values[i], inside(report, i))) continue;
      isGood = false;
      if (isSettled(report)) break;
    }
    return isGood;
  }];
}

function containsRules(
  { contains, minContains, maxContains }: SchemaNode,
  compile: Compile,
): readonly ArrayRule[] {
  if (contains === undefined) return [];
  const rule = compile(contains);
  const least = sizeOf(minContains) ?? 1;
  const most = sizeOf(maxContains) ?? Infinity;
  return [(values, report, seen) => {
    let count = 0;
    for (let i = 0; i < values.length; i++) {
      if (!rule(values[i])) continue;
      seen?.keys.add(i);
      count++;
    }
    return (count >= least && count <= most) ||
      fail(report, `holds ${count} items of the kind it must contain`);
  }];
}

function hasNoTwins(values: readonly unknown[], report?: Report): boolean {
  const twin = values.findIndex((value, index) =>
    values.slice(0, index).some((earlier) => isSame(value, earlier))
  );
  return twin === -1 || fail(inside(report, twin), "is there twice");
}

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
 * If none fits, the field that distinguishes the alternatives is wrong or missing.
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

/** The faults of one value by all alternatives, as one text. */
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
  return fail(report, {
    expected: [...expected],
    got: got?.got ?? "another value",
    isWord: facts.some(({ isWord }) => isWord),
  });
}

/**
 * The rule of a node with `unevaluatedProperties` or `unevaluatedItems`: what none of its other words looked at.
 *
 * @param others The rule of all other words
 */
export function restRule(
  { unevaluatedProperties, unevaluatedItems }: SchemaNode,
  others: Rule,
  compile: Compile,
): Rule {
  if (unevaluatedProperties === undefined && unevaluatedItems === undefined) {
    return others;
  }
  const ofObjects = compile(unevaluatedProperties);
  const ofArrays = compile(unevaluatedItems);
  return (value, report, outer) => {
    const isList = Array.isArray(value);
    const word = isList ? unevaluatedItems : unevaluatedProperties;
    if (word === undefined || !isList && !isObject(value)) {
      return others(value, report, outer);
    }
    const seen: Seen = { keys: new Set(), isAll: false };
    let isGood = others(value, report, seen);
    if (outer !== undefined) outer.isAll = true;
    if (seen.isAll || !isGood && isSettled(report)) return isGood;
    const members = isList ? value.entries() : Object.entries(value);
    for (const [key, member] of members) {
      if (seen.keys.has(key) || !isList && member === undefined) continue;
      const place = inside(report, key);
      const fits = isList
        ? ofArrays(member, place)
        : word === false
        ? fail(place, "is not a known property")
        : ofObjects(member, place);
      if (fits) continue;
      isGood = false;
      if (isSettled(report)) break;
    }
    return isGood;
  };
}
