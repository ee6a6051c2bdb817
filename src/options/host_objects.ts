import { isObject } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import { callback, type Check, fitting } from "./fields.ts";
import type { PlainObject } from "./plain_object.ts";
import { refuse } from "./refuse.ts";

/** An object of another make: only the methods that are called count. */
export function withMethods(...names: readonly string[]): Check {
  return (value, key) => {
    const isObject = typeof value === "object" || typeof value === "function";
    if (!isObject || value === null) refuse(key, value, "an object");
    // Methods may live on a prototype.
    const members = value as Readonly<Record<string, unknown>>;
    for (const name of names) {
      if (typeof members[name] !== "function") {
        refuse(`${key}.${name}`, members[name], "a function");
      }
    }
  };
}

const twoMethods = withMethods("now", "sleep");

/** A clock; `monotonic()` is optional. */
export const clock: Check = (value: unknown, key: string): void => {
  twoMethods(value, key);
  const { monotonic } = value as Clock;
  if (monotonic !== undefined) callback(monotonic, `${key}.monotonic`);
};

export const signal: Check = fitting(
  "an AbortSignal",
  (value) =>
    isObject<unknown>(value) && typeof value.aborted === "boolean" &&
    typeof value.addEventListener === "function" &&
    typeof value.removeEventListener === "function",
);

const anObject = fitting("an object", isObject);

/** Three groups of callbacks. */
export function metrics(value: unknown, key: string): void {
  anObject(value, key);
  for (const group of ["transport", "protocol", "parser"]) {
    const part = (value as PlainObject)[group];
    if (part !== undefined) anObject(part, `${key}.${group}`);
  }
}
