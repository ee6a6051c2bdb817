import type { Scrubber } from "./scrubber.ts";
import { isPlain, type Scrub } from "./secrets.ts";
import { beginningOf, MOST_LEVELS, REDACTED } from "./text.ts";

/** The most objects that are searched or copied for one value. */
const MOST_OBJECTS = 50_000;
const LONGEST_CLASS_NAME = 50;

type Redactor = Pick<Scrubber, "scrub">;

/** Redacts an error of this package, which stays the same object; causes that hold secrets are replaced by copies. */
export function redactError<Value>(error: Value, redactor: Redactor): Value {
  if (!(error instanceof Error)) return error;
  const redaction = new Redaction(redactor, [[error, error]]);
  for (const [name, part] of fieldsOf(error)) {
    const shown = redaction.take(part);
    if (shown !== part) define(error, name, shown, isShown(error, name));
  }
  return error;
}

/**
 * A foreign value without secrets: the same when it shows none, else a copy.
 *
 * Errors and plain data are copied. Any other object that shows a secret is replaced by the name of its class.
 */
export function redactedCopy<Value>(value: Value, redactor: Redactor): Value {
  return new Redaction(redactor).take(value) as Value;
}

class Redaction {
  readonly #scrub: Scrub;
  readonly #copies: Map<object, unknown>;
  /** Objects from which no secret can be reached. */
  readonly #harmless = new Set<object>();
  #searched = 0;

  constructor(redactor: Redactor, copies: (readonly [object, unknown])[] = []) {
    this.#scrub = (text) => redactor.scrub(text);
    this.#copies = new Map(copies);
  }

  take(value: unknown): unknown {
    if (!isReference(value)) return this.#scalar(value);
    return this.#leaks(value) ? this.#copy(value, 0) : value;
  }

  /** Whether a secret can be reached from an object; also where that takes too long to find out. */
  #leaks(root: object): boolean {
    const reached = new Set([root]);
    // The set grows while it is walked.
    for (const one of reached) {
      if (this.#harmless.has(one)) continue;
      if (++this.#searched > MOST_OBJECTS) return true;
      try {
        const fields = fieldsOf(one);
        if (fields.some(([name]) => this.#name(name) !== name)) return true;
        for (const [, part] of [...fields, ...entriesOf(one)]) {
          if (isReference(part)) reached.add(part);
          else if (this.#scalar(part) !== part) return true;
        }
      } catch {
        return true;
      }
    }
    for (const one of reached) this.#harmless.add(one);
    return false;
  }

  #copy(value: object, depth: number): unknown {
    const known = this.#copies.get(value);
    if (known !== undefined) return known;
    if (depth === MOST_LEVELS || this.#copies.size > MOST_OBJECTS) {
      return REDACTED;
    }
    try {
      const isError = value instanceof Error;
      if (!isError && !isPlain(value)) {
        return this.#leaks(value) ? this.#className(value) : value;
      }
      const copy: object = Array.isArray(value)
        ? new Array(value.length)
        : Object.create(Object.getPrototypeOf(value));
      this.#copies.set(value, copy);
      for (const [name, part] of fieldsOf(value)) {
        const shown = isReference(part)
          ? this.#copy(part, depth + 1)
          : this.#scalar(part);
        define(copy, this.#name(name), shown, isShown(value, name));
      }
      // A copy has no private fields, which methods of its class may read.
      for (const name of isError ? FORMATTERS : []) {
        define(copy, name, Reflect.get(Error.prototype, name), false);
      }
      return copy;
    } catch {
      return REDACTED;
    }
  }

  #scalar(value: unknown): unknown {
    if (typeof value === "string") return this.#scrub(value);
    if (value === null || value === undefined || typeof value === "boolean") {
      return value;
    }
    const text = String(value);
    return this.#scrub(text) === text ? value : REDACTED;
  }

  #name(name: PropertyKey): PropertyKey {
    if (typeof name === "string") return this.#scrub(name);
    return this.#scalar(name) === name ? name : Symbol(REDACTED);
  }

  #className(value: object): string {
    const { constructor } = value;
    const name = typeof constructor === "function" ? constructor.name : "";
    return this.#scrub(beginningOf(name, LONGEST_CLASS_NAME)) +
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

/** Something that an object shows, and the name it stands under. */
type Field = readonly [name: PropertyKey, value: unknown];

/** Methods by which JSON and loggers format an object. */
const FORMATTERS: readonly PropertyKey[] = [
  ...["toString", "toJSON", Symbol.for("nodejs.util.inspect.custom")],
  Symbol.for("Deno.customInspect"),
];
/** Classes of the runtime whose entries are shown. */
const COLLECTION = /^\[object (?:Map|Set|Headers|FormData|URLSearchParams)\]$/;
/** Prototypes whose getters show nothing of a value. */
const COMMON: ReadonlySet<unknown> = new Set([
  ...[Object.prototype, Array.prototype, Function.prototype],
]);

/** The fields of an object, and those that classes of the runtime have as getters; each is read once. */
function fieldsOf(value: object): readonly Field[] {
  if (bytesOf(value) !== undefined) return [];
  const own = Reflect.ownKeys(value)
    .filter((name) => name !== "length" || !Array.isArray(value))
    .map((name): Field => [name, Reflect.get(value, name)]);
  const inherited = [
    // Those of errors may be no fields.
    ...value instanceof Error ? ["name", "message"] : [],
    ...prototypesOf(value).filter(isBuiltIn).flatMap(gettersOf),
  ].filter((name) => !Object.hasOwn(value, name));
  return [...own, ...inherited.flatMap((name) => fieldOf(value, name))];
}

/** None where reading throws: then nothing is shown either. */
function fieldOf(value: object, name: string): readonly Field[] {
  try {
    return [[name, Reflect.get(value, name)]];
  } catch {
    return [];
  }
}

function entriesOf(value: object): readonly Field[] {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return [["", new TextDecoder().decode(bytes)]];
  return COLLECTION.test(Object.prototype.toString.call(value))
    ? [...value as Iterable<unknown>].map((one): Field => ["", one])
    : [];
}

function gettersOf(prototype: object): readonly string[] {
  return Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([, { get }]) => get !== undefined)
    .map(([name]) => name);
}

/** The classes of an object but those of all objects, lists and functions, which add nothing. */
function prototypesOf(value: object): readonly object[] {
  const prototype: object | null = Object.getPrototypeOf(value);
  return prototype === null || COMMON.has(prototype)
    ? []
    : [prototype, ...prototypesOf(prototype)];
}

function isBuiltIn({ constructor }: object): boolean {
  return typeof constructor === "function" &&
    Reflect.get(globalThis, constructor.name) === constructor;
}

/** A copy: shared memory cannot be decoded. */
function bytesOf(value: object): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
      .slice();
  }
  return value instanceof ArrayBuffer ? new Uint8Array(value) : undefined;
}
