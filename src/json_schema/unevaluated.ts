import { isObject } from "../errors/is_object.ts";
import {
  type Compile,
  fail,
  inside,
  isSettled,
  type Rule,
  type SchemaNode,
} from "./rule.ts";
import { toPattern } from "./scalar.ts";

/** The members of a value that some word has looked at. */
export interface Seen {
  readonly keys: Set<string | number>;
  isAll: boolean;
}

/** Notes which members of a value a schema looks at, as far as the value fits it. */
export type Mark = (value: unknown, seen: Seen) => void;

/** How the parts of a node are made. */
export interface Parts {
  /** Rules of schemas. */
  readonly compile: Compile;
  /** Marks of schemas. */
  readonly markOf: (schema: unknown) => Mark;
  /** What the references of the node lead to. */
  readonly targets: readonly unknown[];
}

/** The rules of `unevaluatedProperties` and `unevaluatedItems`: what no other word of the node looked at. */
export function unevaluatedRules(
  schema: SchemaNode,
  parts: Parts,
): readonly Rule[] {
  const { unevaluatedProperties, unevaluatedItems } = schema;
  const rules: Rule[] = [];
  if (unevaluatedProperties !== undefined) {
    rules.push(restRule(isObject, unevaluatedProperties));
  }
  if (unevaluatedItems !== undefined) {
    rules.push(restRule(Array.isArray, unevaluatedItems));
  }
  return rules;

  function restRule(isKind: (value: unknown) => boolean, rest: unknown): Rule {
    const { unevaluatedProperties: _, unevaluatedItems: __, ...others } =
      schema;
    const mark = all(marksOf(others, parts));
    const rule = parts.compile(rest);
    const isClosed = rest === false;
    return (value, report) => {
      if (!isKind(value)) return true;
      const seen: Seen = { keys: new Set(), isAll: false };
      mark(value, seen);
      if (seen.isAll) return true;
      let isGood = true;
      for (const [key, member] of membersOf(value)) {
        if (seen.keys.has(key)) continue;
        const place = inside(report, key);
        const fits = isClosed && typeof key === "string"
          ? fail(place, "is not a known property")
          : rule(member, place);
        if (fits) continue;
        isGood = false;
        if (isSettled(report)) break;
      }
      return isGood;
    };
  }
}

/** What each word of a node looks at. */
export function marksOf(schema: SchemaNode, parts: Parts): readonly Mark[] {
  const { compile, markOf, targets } = parts;
  const marks: Mark[] = [...propertyMarks(schema), ...itemMarks(schema, parts)];
  const { allOf, anyOf, oneOf, dependentSchemas } = schema;
  // Nobody knows what a schema out of reach looks at.
  marks.push(...targets.map((one) => one === undefined ? seeAll : markOf(one)));
  if (Array.isArray(allOf)) marks.push(...allOf.map(markOf));
  for (const some of [anyOf, oneOf]) {
    if (Array.isArray(some)) marks.push(...some.map(whereItFits));
  }
  if (isObject(dependentSchemas)) {
    for (const [key, one] of Object.entries(dependentSchemas)) {
      const mark = markOf(one);
      marks.push((value, seen) => {
        if (isObject(value) && Object.hasOwn(value, key)) mark(value, seen);
      });
    }
  }
  if (schema.if !== undefined) {
    const condition = compile(schema.if);
    const [test, whenTrue, whenFalse] = [schema.if, schema.then, schema.else]
      .map(markOf);
    marks.push((value, seen) => {
      if (condition(value)) {
        test?.(value, seen);
        whenTrue?.(value, seen);
      } else {
        whenFalse?.(value, seen);
      }
    });
  }
  return marks;

  function whereItFits(one: unknown): Mark {
    const rule = compile(one);
    const mark = markOf(one);
    return (value, seen) => {
      if (rule(value)) mark(value, seen);
    };
  }
}

function seeAll(_value: unknown, seen: Seen): void {
  seen.isAll = true;
}

/** All marks, one after the other. */
export function all(marks: readonly Mark[]): Mark {
  return (value, seen) => {
    for (const mark of marks) {
      if (seen.isAll) return;
      mark(value, seen);
    }
  };
}

function propertyMarks(schema: SchemaNode): readonly Mark[] {
  const {
    properties,
    patternProperties,
    additionalProperties,
    unevaluatedProperties,
  } = schema;
  if (
    additionalProperties !== undefined || unevaluatedProperties !== undefined
  ) {
    return [(value, seen) => {
      if (isObject(value)) seeAll(value, seen);
    }];
  }
  const named = new Set(Object.keys(isObject(properties) ? properties : {}));
  const patterns = Object.keys(
    isObject(patternProperties) ? patternProperties : {},
  ).flatMap((source) => toPattern(source) ?? []);
  if (named.size === 0 && patterns.length === 0) return [];
  return [(value, seen) => {
    if (!isObject(value)) return;
    for (const key of Object.keys(value)) {
      if (named.has(key) || patterns.some((one) => one.test(key))) {
        seen.keys.add(key);
      }
    }
  }];
}

function itemMarks(schema: SchemaNode, { compile }: Parts): readonly Mark[] {
  const { items, prefixItems, additionalItems, unevaluatedItems, contains } =
    schema;
  const first = Array.isArray(items) ? items : prefixItems;
  const rest = Array.isArray(items) ? additionalItems : items;
  if (rest !== undefined || unevaluatedItems !== undefined) {
    return [(value, seen) => {
      if (Array.isArray(value)) seeAll(value, seen);
    }];
  }
  const marks: Mark[] = [];
  if (Array.isArray(first)) {
    marks.push((value, seen) => {
      if (!Array.isArray(value)) return;
      for (let i = 0; i < first.length; i++) seen.keys.add(i);
    });
  }
  if (contains !== undefined) {
    const rule = compile(contains);
    marks.push((value, seen) => {
      if (!Array.isArray(value)) return;
      for (const [i, item] of value.entries()) if (rule(item)) seen.keys.add(i);
    });
  }
  return marks;
}

function membersOf(
  value: unknown,
): Iterable<readonly [string | number, unknown]> {
  if (Array.isArray(value)) return value.entries();
  return Object.entries(value as SchemaNode)
    .filter(([, member]) => member !== undefined);
}
