import { isObject } from "../errors/text.ts";
import { type Check, fitting } from "./fields.ts";
import { refuse } from "./refuse.ts";

/** An object of another make: only the methods that are called count, which may be inherited; those with a "?" may be absent. */
export function withMethods(...names: readonly string[]): Check {
  return (value, key) => {
    if (typeof value !== "function" && !isObject(value)) {
      refuse(key, value, "an object");
    }
    for (const name of names) {
      const member: unknown = Reflect.get(value, name.replace("?", ""));
      if (typeof member === "function") continue;
      if (member === undefined && name.endsWith("?")) continue;
      refuse(`${key}.${name.replace("?", "")}`, member, "a function");
    }
  };
}

export const clock: Check = withMethods("now", "sleep", "monotonic?");

export const signal: Check = fitting(
  "an AbortSignal",
  (value) =>
    isObject<unknown>(value) && typeof value.aborted === "boolean" &&
    typeof value.addEventListener === "function" &&
    typeof value.removeEventListener === "function",
);
