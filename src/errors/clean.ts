import type { Scrubber } from "./scrubber.ts";
import { isPlain } from "./secrets.ts";
import { type Field, isVoice, shownBy, voicesOf } from "./shown.ts";
import { beginningOf, MOST_LEVELS, REDACTED } from "./text.ts";

/** So many objects are looked through for one value. */
const MOST_OBJECTS = 50_000;
/** The longest name of a class that is shown, in characters. */
const LONGEST_NAME = 50;

/** Takes secrets out of texts, and out of the end of one. */
type Cleaner = Pick<Scrubber, "scrub" | "scrubTail">;

/** Takes secrets out of an error of this package, which stays the same object; causes that hold any are replaced by clean copies. */
export function cleanError<Value>(error: Value, cleaner: Cleaner): Value {
  if (error instanceof Error) new Cleaning(cleaner, error).inPlace(error);
  return error;
}

/**
 * Somebody else's value without secrets: the same when it shows none, else a copy.
 *
 * Errors and plain data are copied. What else shows a secret, or may show anything, is replaced by the name of its class.
 */
export function cleanCopy<Value>(value: Value, cleaner: Cleaner): Value {
  return new Cleaning(cleaner, value).take(value) as Value;
}

/** An object as it was found. */
interface Found {
  /** How far it is from the value that is cleaned. */
  readonly depth: number;
  /** Those that show it. */
  readonly owners: object[];
  /** What it holds; `undefined` when it was not looked through. */
  fields?: readonly Field[];
}

/** One value that is cleaned: first everything in it is looked through, each object once; then what shows a secret is copied. */
class Cleaning {
  readonly #cleaner: Cleaner;
  readonly #found = new Map<object, Found>();
  /** Objects that show a secret, or show one that does. */
  readonly #touched = new Set<object>();
  readonly #copies = new Map<object, unknown>();

  constructor(cleaner: Cleaner, value: unknown) {
    this.#cleaner = cleaner;
    if (!isReference(value)) return;
    this.#found.set(value, { depth: 0, owners: [] });
    // Both lists grow while they are walked.
    for (const [one, found] of this.#found) {
      if (this.#look(one, found)) this.#touched.add(one);
    }
    for (const one of this.#touched) {
      for (const owner of this.#found.get(one)?.owners ?? []) {
        this.#touched.add(owner);
      }
    }
  }

  /** A value, or a part of it, without secrets. */
  take(value: unknown, depth = 0, name?: PropertyKey): unknown {
    if (!isReference(value)) return this.#scalar(value, name);
    if (!this.#touched.has(value)) return value;
    const copy = this.#copies.get(value);
    if (copy !== undefined) return copy;
    const { fields } = this.#found.get(value) ?? {};
    // What cannot be looked through is not shown.
    if (fields === undefined || depth === MOST_LEVELS) return REDACTED;
    try {
      return this.#copy(value, fields, depth);
    } catch {
      return REDACTED;
    }
  }

  /** Puts what is clean into an error, in the place of what is not. */
  inPlace(error: Error): void {
    this.#copies.set(error, error);
    for (const [name, part] of this.#found.get(error)?.fields ?? []) {
      const clean = this.take(part, 1, name);
      if (clean !== part) define(error, name, clean, isShown(error, name));
    }
  }

  /** Notes what an object holds; tells whether it shows a secret by itself, or may. */
  #look(value: object, found: Found): boolean {
    if (found.depth === MOST_LEVELS || this.#found.size > MOST_OBJECTS) {
      return true;
    }
    try {
      const { fields, sayings, isSealed } = shownBy(value);
      found.fields = fields;
      const notes = [
        ...fields.map(([name, part]) => this.#note(part, value, name)),
        ...fields.map(([name]) => this.#name(name) !== name),
        ...sayings.map((part) => this.#note(part, value)),
      ];
      return isSealed || notes.includes(true);
    } catch {
      return true;
    }
  }

  /** Tells whether a part is a text with a secret; an object is looked at in its turn. */
  #note(part: unknown, owner: object, name?: PropertyKey): boolean {
    if (!isReference(part)) return this.#scalar(part, name) !== part;
    const { depth = 0 } = this.#found.get(owner) ?? {};
    const known = this.#found.get(part);
    if (known !== undefined) known.owners.push(owner);
    else this.#found.set(part, { depth: depth + 1, owners: [owner] });
    return false;
  }

  #scalar(value: unknown, name?: PropertyKey): unknown {
    if (typeof value === "string") {
      return name === "stderrTail"
        ? this.#cleaner.scrubTail(value)
        : this.#cleaner.scrub(value);
    }
    if (value === null || value === undefined || typeof value === "boolean") {
      return value;
    }
    const text = String(value);
    return this.#cleaner.scrub(text) === text ? value : REDACTED;
  }

  #name(name: PropertyKey): PropertyKey {
    if (typeof name === "string") return this.#cleaner.scrub(name);
    return this.#scalar(name) === name ? name : Symbol(REDACTED);
  }

  #copy(value: object, fields: readonly Field[], depth: number): unknown {
    const isError = value instanceof Error;
    if (!isError && !isPlain(value)) return this.#className(value);
    const copy: object = Array.isArray(value)
      ? new Array(value.length)
      : Object.create(Object.getPrototypeOf(value));
    this.#copies.set(value, copy);
    for (const [name, part] of fields) {
      if (isVoice(name)) continue;
      const clean = this.take(part, depth + 1, name);
      define(copy, this.#name(name), clean, isShown(value, name));
    }
    // It speaks by its fields alone: its class may tell more.
    for (const name of isError ? voicesOf(copy) : []) {
      define(copy, name, Reflect.get(Error.prototype, name), false);
    }
    return copy;
  }

  #className(value: object): string {
    const { constructor } = value;
    const name = typeof constructor === "function" ? constructor.name : "";
    return this.#cleaner.scrub(beginningOf(name, LONGEST_NAME)) +
      ` ${REDACTED}`;
  }
}

function isReference(value: unknown): value is object {
  return typeof value === "function" ||
    typeof value === "object" && value !== null;
}

function isShown(source: object, name: PropertyKey): boolean {
  return Object.prototype.propertyIsEnumerable.call(source, name);
}

function define(
  target: object,
  name: PropertyKey,
  value: unknown,
  enumerable: boolean,
): void {
  const mode = { enumerable, configurable: true, writable: true };
  Object.defineProperty(target, name, { ...mode, value });
}
