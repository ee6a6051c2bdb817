import { isObject } from "../errors/is_object.ts";
import {
  type Compile,
  fail,
  inside,
  isSettled,
  type Rule,
  type SchemaNode,
  type Seen,
} from "./rule.ts";

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
