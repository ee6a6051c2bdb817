import { LONGEST_TIMER_MS } from "../async/system_clock.ts";
import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import { nearest } from "../errors/nearest.ts";
import type { Complete } from "../types/option_values.ts";
import { type PlainObject, plainObject } from "./plain_object.ts";
import { display, nameAlone, refuse } from "./refuse.ts";

/** Function that checks the value of an option; throws `ConfigError` with the dotted key of the option. */
export type Check = (value: unknown, key: string) => void;

/** Checks for the keys of `T`: one for every key, else it does not compile. */
export type Fields<T> = { readonly [K in keyof T]-?: Check };

/** A list of known keys that is this short is its own best hint. */
const FEW = 8;

/** Refuses what does not fit, and says what it must be; more may be checked of what does. */
export function fitting(
  must: string,
  fits: (value: unknown) => boolean,
  more?: Check,
): Check {
  return (value, key) => {
    if (!fits(value)) refuse(key, value, must);
    more?.(value, key);
  };
}

/** Applies the first check to values of its kind, the other to all others. */
export function either(
  isFirst: (value: unknown) => boolean,
  first: Check,
  other: Check,
): Check {
  return (value, key) => (isFirst(value) ? first : other)(value, key);
}

export function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** A text that no operating system sees. */
export const string: Check = fitting("a string", isText);

/**
 * Any text, also the empty one; systems end it at a null character, so that one would cut an argument short.
 */
export function stringWithoutNul(value: unknown, key: string): void {
  string(value, key);
  if (String(value).includes("\0")) {
    refuse(key, value, "without a null character");
  }
}

/**
 * Checks a string for a command line or a path: not empty, no null character.
 *
 * @throws {ConfigError} If it is empty, no string, or has a null character
 *
 * @example An empty name
 * ```ts
 * import { text } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * text("reviews", "name");
 * assert.throws(() => text("", "name"), { key: "name" });
 * ```
 */
export function text(value: unknown, key: string): void {
  if (value === "") refuse(key, value, "left out or a non-empty string");
  stringWithoutNul(value, key);
}

/** A text of {@link text} that can stand in a list that is joined with commas. */
export function listed(value: unknown, key: string): void {
  text(value, key);
  if (String(value).includes(",")) refuse(key, value, "without a comma");
}

/** True or false. */
export const flag: Check = fitting(
  "true or false",
  (value) => typeof value === "boolean",
);

/** A function. */
export const callback: Check = fitting(
  "a function",
  (value) => typeof value === "function",
);

/**
 * Creates a check for a whole number in a range.
 *
 * @returns A check that throws `ConfigError` for any other value
 *
 * @example A size
 * ```ts
 * import { integer } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const size = integer({ min: 1, max: 10 });
 * size(7, "size");
 * assert.throws(() => size(11, "size"), /a whole number from 1 to 10: 11/);
 * ```
 */
export function integer(
  { min, max = Number.MAX_SAFE_INTEGER }: {
    readonly min: number;
    readonly max?: number;
  },
): Check {
  const range = max === Number.MAX_SAFE_INTEGER
    ? `, ${min} or more`
    : ` from ${min} to ${max}`;
  return fitting(
    `a whole number${range}`,
    (value) => isWhole(value, min, max),
  );
}

const DURATION = `whole milliseconds from 1 to ${LONGEST_TIMER_MS}`;

/** A timeout in milliseconds: more than a timer can hold would fire at once. */
export const duration: Check = fitting(
  DURATION,
  (value) => isWhole(value, 1, LONGEST_TIMER_MS),
);

/** A timeout in milliseconds, or `Infinity` for none. */
export const durationOrNever: Check = fitting(
  `${DURATION}, or Infinity`,
  (value) => value === Infinity || isWhole(value, 1, LONGEST_TIMER_MS),
);

function isWhole(value: unknown, min: number, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= min &&
    Number(value) <= max;
}

/**
 * Creates a check for one of a few strings.
 *
 * @returns A check that throws `ConfigError` for any other value
 *
 * @example A mode
 * ```ts
 * import { oneOf } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.throws(() => oneOf("fast", "safe")("slow", "mode"), /one of "fast", "safe"/);
 * ```
 */
export function oneOf(...known: readonly string[]): Check {
  return fitting(
    `one of ${known.map((one) => `"${one}"`).join(", ")}`,
    (value) => isText(value) && known.includes(value),
  );
}

/**
 * Creates a check for a list whose items pass another check.
 *
 * @returns A check that throws `ConfigError` for anything but a list, with the key of the item
 *
 * @example A list of names
 * ```ts
 * import { list, text } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.throws(() => list(text)(["a", ""], "names"), { key: "names[1]" });
 * ```
 */
export function list(check: Check): Check {
  return (value, key) => {
    if (!Array.isArray(value)) refuse(key, value, "a list");
    // By index: holes in the list are items as well.
    for (let at = 0; at < value.length; at++) check(value[at], `${key}[${at}]`);
  };
}

/** The names of a map, which are no secrets as its values may be. */
export function named(form: RegExp, why: string): Check {
  return (name, key) => {
    if (form.test(String(name))) return;
    throw new ConfigError({
      message: `Option "${key}" ${why}: ${show(nameAlone(String(name)))}`,
      key,
      value: name,
    });
  };
}

/** An object used as a map; each value is checked, and each name when asked for; `undefined` counts as absent. */
export function record(check: Check, checkName?: Check): Check {
  return (value, key) => {
    plainObject(value, key);
    for (const name of Object.keys(value)) {
      checkName?.(name, key);
      const set = value[name];
      if (set !== undefined) check(set, `${key}.${name}`);
    }
  };
}

/**
 * Creates a check for an object with known keys; `undefined` counts as absent.
 *
 * @returns A check that throws `ConfigError` with the dotted key
 *
 * @example Settings of TLS
 * ```ts
 * import { object, text } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const tls = object({ caFile: text });
 * assert.throws(() => tls({ caFiles: "x" }, "tls"), /"tls.caFiles".*the nearest one is "caFile"/);
 * ```
 */
export function object<T>(
  fields: Fields<T>,
  required: readonly (keyof T & string)[] = [],
): Check {
  return (value, key) => {
    plainObject(value, key);
    checkKeys(value, fields, `${key}.`);
    for (const name of required) {
      if (value[name] === undefined) refuse(`${key}.${name}`, undefined, "set");
    }
  };
}

/** An object whose `type` decides which keys it has; `usual` is its type where it has none. */
export function variants(
  kinds: Readonly<Record<string, Check>>,
  usual?: (value: PlainObject) => string | undefined,
): Check {
  const kind = oneOf(...Object.keys(kinds));
  return (value, key) => {
    plainObject(value, key);
    const { type = usual?.(value) } = value;
    kind(type, `${key}.type`);
    kinds[type as string]?.(value, key);
  };
}

/**
 * Checks every key of an object; unknown keys are refused with the nearest known one.
 *
 * @param hints Advice for unknown names, such as those of other packages
 * @throws {ConfigError} If a key is unknown or a value invalid
 *
 * @example Report a mistyped option
 * ```ts
 * import { checkKeys, text } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * assert.throws(() => checkKeys({ nmae: "x" }, { name: text }, ""), /the nearest one is "name"/);
 * ```
 */
export function checkKeys(
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, Check>>,
  prefix: string,
  hints?: Pick<ReadonlyMap<string, string>, "get">,
): void {
  for (const name of Object.keys(value)) {
    const set = value[name];
    if (set === undefined) continue;
    // Own keys only: "constructor" and "__proto__" are no options.
    const check = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (check === undefined) {
      const key = prefix + nameAlone(name);
      const help = hints?.get(name) ?? hint(name, fields) ??
        "no such option exists";
      throw new ConfigError({
        message: `Unknown option "${key}" (value ${
          display(key, set)
        }): ${help}`,
        key,
        value: set,
      });
    }
    check(set, prefix + name);
  }
}

function hint(name: string, fields: object): string | undefined {
  const names = Object.keys(fields);
  const known = nearest(name, names);
  if (known !== undefined) return `the nearest one is "${known}"`;
  return names.length > FEW
    ? undefined
    : `the known ones are ${names.map((one) => `"${one}"`).join(", ")}`;
}

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

/** The value of an option by its dotted key. */
export function valueAt(options: object, key: string): unknown {
  const all = options as PlainObject;
  const dot = key.indexOf(".");
  if (dot === -1) return all[key];
  const group = all[key.slice(0, dot)] as PlainObject | undefined;
  return group?.[key.slice(dot + 1)];
}
