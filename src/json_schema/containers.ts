import { isObject } from "../errors/is_object.ts";
import { show } from "../errors/text.ts";
import {
  accept,
  acceptAll,
  type Compile,
  countRules,
  fail,
  inside,
  isSame,
  isSettled,
  type Report,
  type Rule,
  type SchemaNode,
  type Seen,
  sizeOf,
} from "./rule.ts";
import { toPattern } from "./scalar.ts";

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

type ObjectRule = (
  value: SchemaNode,
  report?: Report,
  seen?: Seen,
) => boolean;

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
    Object.entries(isObject(properties) ? properties : {})
      .map(([key, node]) => [key, compile(node)]),
  );
  const patterns = Object.entries(
    isObject(patternProperties) ? patternProperties : {},
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

  function memberHolds(
    key: string,
    value: unknown,
    report?: Report,
    seen?: Seen,
  ): boolean {
    const rule = named.get(key);
    let isKnown = rule !== undefined;
    let isGood = rule === undefined || rule(value, report);
    for (const one of patterns) {
      if (!one.pattern.test(key)) continue;
      isKnown = true;
      isGood = one.rule(value, report) && isGood;
    }
    if (isKnown) {
      seen?.keys.add(key);
      return isGood;
    }
    return isClosed
      ? fail(report, "is not a known property")
      : other(value, report);
  }
  return [(value, report, seen) => {
    if (seen !== undefined && takesAll) seen.isAll = true;
    let isGood = true;
    for (const key of Object.keys(value)) {
      // An absent value reads as an absent key: JSON knows no `undefined`.
      if (value[key] === undefined) continue;
      const place = inside(report, key);
      if (memberHolds(key, value[key], place, seen)) continue;
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

type ArrayRule = (
  items: readonly unknown[],
  report?: Report,
  seen?: Seen,
) => boolean;

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
