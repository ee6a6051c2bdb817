import { isObject } from "./text.ts";

/** One JSON text for one value, however the keys of its objects are ordered: a database, or another host, may change that. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (!isObject<unknown>(part)) return part;
    const entries = Object.entries(part).filter(([, one]) => one !== undefined);
    entries.sort(([one], [other]) => one < other ? -1 : 1);
    // A list keeps the order and a key called __proto__; what holds it tells it from a list that was one.
    return { "": entries.flat() };
  });
}
