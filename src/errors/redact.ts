import type { Scrubber } from "./scrubber.ts";
import { isPlain } from "./places.ts";
import { beginningOf, MOST_LEVELS, REDACTED } from "./text.ts";

/** The most parts that are searched or copied for one value. */
const MOST_PARTS = 200_000;
const LONGEST_CLASS_NAME = 50;

type Redactor = Pick<Scrubber, "scrub">;

/** Redacts an error of this package, which stays the same object; causes that hold secrets are replaced by copies. */
export function redactError<Value>(error: Value, redactor: Redactor): Value {
  if (!(error instanceof Error)) return error;
  for (const [name, part] of fieldsOf(error)) {
    const copies = new Map<unknown, unknown>([[error, error]]);
    const shown = redactedCopy(part, redactor, copies);
    if (shown !== part) define(error, name, shown, isListed(error, name));
  }
  return error;
}

/**
 * A foreign value without secrets: the same when it shows none, else a copy.
 *
 * Errors and plain data are copied. Any other object that shows a secret is replaced by the name of its class.
 *
 * @param copies What takes the place of parts that were copied before
 */
export function redactedCopy<Value>(
  value: Value,
  redactor: Redactor,
  copies: Map<unknown, unknown> = new Map(),
): Value {
  let searched = 0;

  /** Whether a secret can be reached; also where that cannot be found out, or takes too long. */
  function leaks(root: unknown): boolean {
    const reached = new Set([root]);
    try {
      // The set grows while it is walked.
      for (const one of reached) {
        if (++searched > MOST_PARTS) return true;
        if (!isReference(one)) {
          if (clean(one) !== one) return true;
        } else for (const part of partsOf(one)) reached.add(part);
      }
      return false;
    } catch {
      return true;
    }
  }

  function copy(value: unknown, depth: number): unknown {
    if (!isReference(value)) return clean(value);
    if (copies.has(value)) return copies.get(value);
    if (depth === MOST_LEVELS || copies.size > MOST_PARTS) return REDACTED;
    try {
      const isError = value instanceof Error;
      if (!isError && !isPlain(value)) {
        return leaks(value) ? `${className(value)} ${REDACTED}` : value;
      }
      const copied = Array.isArray(value)
        ? []
        : Object.create(Object.getPrototypeOf(value));
      copies.set(value, copied);
      for (const [name, part] of fieldsOf(value)) {
        const shown = copy(part, depth + 1);
        define(copied, clean(name), shown, isListed(value, name));
      }
      // A copy has no private fields, which methods of its class may read.
      for (const name of isError ? FORMATTERS : []) {
        define(copied, name, Reflect.get(Error.prototype, name), false);
      }
      return copied;
    } catch {
      return REDACTED;
    }
  }

  function clean<Part>(value: Part): Part | string {
    if (typeof value === "string") return redactor.scrub(value);
    if (!/^(?:number|bigint|symbol)$/.test(typeof value)) return value;
    const text = String(value);
    return redactor.scrub(text) === text ? value : REDACTED;
  }

  function className({ constructor }: object): string {
    const name = typeof constructor === "function" ? constructor.name : "";
    return redactor.scrub(beginningOf(name, LONGEST_CLASS_NAME));
  }

  return (leaks(value) ? copy(value, 0) : value) as Value;
}

function isReference(value: unknown): value is object {
  return typeof value === "function" ||
    typeof value === "object" && value !== null;
}

function isListed(source: object, name: PropertyKey): boolean {
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

/** Methods by which JSON and loggers format an object. */
const FORMATTERS: readonly PropertyKey[] = [
  ...["toString", "toJSON", Symbol.for("nodejs.util.inspect.custom")],
  Symbol.for("Deno.customInspect"),
];
/** Getters of errors and of classes of the runtime that are shown. */
const GETTERS: readonly string[] = [
  ...["name", "message", "code"],
  ...["href", "url", "headers", "reason", "detail", "data", "error"],
];
/** Classes of the runtime whose entries are shown. */
const COLLECTION = /^\[object (?:Map|Set|Headers|FormData|URLSearchParams)\]$/;

/** The names and values that an object shows; each is read once. */
function fieldsOf(value: object): readonly (readonly [PropertyKey, unknown])[] {
  const own = Reflect.ownKeys(value)
    .filter((name) => name !== "length" || !Array.isArray(value));
  const inherited = isPlain(value)
    ? []
    : GETTERS.filter((name) => name in value && !own.includes(name));
  return [...own, ...inherited].map((name) => [name, Reflect.get(value, name)]);
}

/** All that an object shows: its fields with their names, entries of collections, the text of bytes. */
function* partsOf(value: object): Generator<unknown> {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return yield new TextDecoder().decode(bytes);
  for (const field of fieldsOf(value)) yield* field;
  if (COLLECTION.test(Object.prototype.toString.call(value))) {
    yield* value as Iterable<unknown>;
  }
}

/** A copy: shared memory cannot be decoded. */
function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      .slice();
  }
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}
