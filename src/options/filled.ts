import type { Complete } from "../types/complete.ts";

/** Options with defaults for what is not given; a key that is there but `undefined` is not, which a spread would not know. */
export function filled<T extends object>(
  defaults: Complete<T>,
  given: T | undefined,
): Complete<T> {
  const all: { -readonly [Key in keyof T]?: T[Key] } = { ...given };
  for (const key of Object.keys(defaults) as (keyof T)[]) {
    all[key] ??= defaults[key];
  }
  return all as Complete<T>;
}
