import {
  accept,
  type Compile,
  countRules,
  fail,
  inside,
  isSame,
  isSettled,
  type Report,
  type Rule,
  type SchemaNode,
  sizeOf,
} from "./rule.ts";

/** The rules of arrays; other values pass them. */
export function arrayRules(
  schema: SchemaNode,
  compile: Compile,
): readonly Rule[] {
  const rules = [
    ...itemRules(schema, compile),
    ...lengthRules(schema),
    ...containsRules(schema, compile),
    ...(schema.uniqueItems === true ? [hasNoTwins] : []),
  ];
  return rules.map((rule) => (value, report) =>
    !Array.isArray(value) || rule(value, report)
  );
}

type ArrayRule = (items: readonly unknown[], report?: Report) => boolean;

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
  return [(values, report) => {
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

function lengthRules(
  { minItems, maxItems }: SchemaNode,
): readonly ArrayRule[] {
  return countRules(minItems, maxItems, "items")
    .map((rule) => ({ length }, report) => rule(length, report));
}

function containsRules(
  { contains, minContains, maxContains }: SchemaNode,
  compile: Compile,
): readonly ArrayRule[] {
  if (contains === undefined) return [];
  const rule = compile(contains);
  const least = sizeOf(minContains) ?? 1;
  const most = sizeOf(maxContains) ?? Infinity;
  return [(values, report) => {
    const count = values.filter((value) => rule(value)).length;
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
