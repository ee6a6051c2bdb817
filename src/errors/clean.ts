import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Scrubber } from "./scrubber.ts";
import { isPlain, type Scrub } from "./secrets.ts";
import { beginningOf, isDeep, MOST_LEVELS, REDACTED } from "./text.ts";

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

/** Something that an object shows, and the name it stands under. */
type Field = readonly [name: PropertyKey, value: unknown];

/** A secret in more bytes than these is not looked for. */
const MOST_BYTES = 100_000;
/** What these hold is shown by some logs, and cannot be read without waiting for it or using it up. */
const SEALED = /^\[object (?:Promise|WeakRef|.*Iterator|.*Generator)\]$/;
/** Classes of the runtime that show what one gets by walking through them. */
const WALKED = /^(?:Map|Set|Headers|FormData|URLSearchParams)$/;
/** Classes of the runtime that show nothing of what they keep. */
const SILENT = /^(?:Readable|Writable|Transform)Stream$/;
/** Prototypes whose getters show nothing of a value. */
const COMMON: ReadonlySet<unknown> = new Set([
  ...[Object.prototype, Array.prototype, Function.prototype],
]);

/** Whether a method of an object says what logs or JSON show of it. */
function isVoice(name: PropertyKey): boolean {
  return name === "toJSON" || name === "toString" ||
    name === Symbol.toPrimitive || isInspector(name);
}

/** The methods that say so for the class of an object. */
function voicesOf(value: object): readonly PropertyKey[] {
  return prototypesOf(value).filter((one) => !isBuiltIn(one))
    .flatMap((one) => Reflect.ownKeys(one)).filter(isVoice);
}

/** What a log or JSON shows of an object. */
interface Shown {
  /** Its fields, those of the runtime's own classes included; each was read once. */
  readonly fields: readonly Field[];
  /** What else: what it makes of itself as a text or as JSON, its entries, its bytes. */
  readonly sayings: readonly unknown[];
  /** Whether there may be more, which nobody can know. */
  readonly isSealed: boolean;
}

/** Looks at an object as logs and JSON do. */
function shownBy(value: object): Shown {
  const tag = Object.prototype.toString.call(value);
  const bytes = bytesOf(value, tag);
  if (bytes !== undefined) {
    const isLong = bytes.length > MOST_BYTES;
    const sayings = isLong ? [] : textsOf(bytes);
    return { fields: [], sayings, isSealed: isLong };
  }
  const chain = prototypesOf(value);
  const classes = chain.filter(isBuiltIn);
  const names = classes.map((one) => one.constructor.name);
  if (names.some((name) => SILENT.test(name))) {
    return { fields: [], sayings: [], isSealed: false };
  }
  const own = Reflect.ownKeys(value)
    .filter((name) => name !== "length" || !Array.isArray(value))
    .map((name): Field => [name, Reflect.get(value, name)]);
  const inherited = [
    // Those of errors may be no fields.
    ...value instanceof Error ? ["name", "message"] : [],
    ...classes.flatMap(gettersOf),
  ].filter((name) => !Object.hasOwn(value, name));
  return {
    fields: [
      ...own,
      ...inherited.flatMap((name) =>
        read(() => Reflect.get(value, name)).map((one): Field => [name, one])
      ),
    ],
    sayings: [
      ...Array.isArray(value) ? [] : read(() => String(value)),
      ...read(() => asJson(value)),
      ...names.some((name) => WALKED.test(name))
        ? [...value as Iterable<unknown>]
        : [],
    ],
    isSealed: SEALED.test(tag) ||
      // The runtime's own classes show their fields.
      [value, ...chain.filter((one) => !classes.includes(one))]
        .some((one) => Object.getOwnPropertySymbols(one).some(isInspector)),
  };
}

function asJson(value: object): unknown {
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, "") : undefined;
}

/** What is read, unless reading throws: then nothing is shown either. */
function read(work: () => unknown): readonly unknown[] {
  try {
    return [work()];
  } catch {
    return [];
  }
}

/** Fields in disguise, such as the address of a request. */
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

function isInspector(name: PropertyKey): boolean {
  return typeof name === "symbol" && /inspect/i.test(name.description ?? "");
}

function bytesOf(value: object, tag: string): Uint8Array | undefined {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return tag.endsWith("ArrayBuffer]")
    ? new Uint8Array(value as ArrayBuffer)
    : undefined;
}

/** Bytes as whatever text they may be. */
function textsOf(bytes: Uint8Array): readonly string[] {
  // One of shared memory cannot be decoded.
  const copy = new Uint8Array(bytes);
  return ["utf-8", "utf-16le"].map((name) =>
    new TextDecoder(name).decode(copy)
  );
}

/** So many characters of a value are kept with an error, names included. */
const KEPT_LENGTH = 4_096;
/** What a number or a word of JSON counts, and the punctuation around any value. */
const SCALAR_LENGTH = 4;

/** As much of a value as an error keeps. */
export interface Excerpt<Value> {
  /** The value itself when it is small and no text in it was touched; else a copy, and of a big one its beginning. */
  readonly value: Value;
  /** `bytes`: the length of the whole as JSON, when some of it was left out. */
  readonly details: { readonly bytes?: number };
}

/** A value of the CLI as an error may keep it: unread errors must not hold megabytes, and secrets must not be shown. */
export function excerpt<Value extends JsonValue | undefined>(
  value: Value,
  scrub: Scrub = (text) => text,
): Excerpt<Value> {
  let left = KEPT_LENGTH;
  let isCut = false;

  function take(
    value: JsonValue | undefined,
    depth: number,
  ): JsonValue | undefined {
    left -= SCALAR_LENGTH;
    if (typeof value === "string") return beginning(value);
    if (typeof value !== "object" || value === null) return value;
    // What cannot be looked through is not shown.
    if (depth === MOST_LEVELS) return REDACTED;
    return container(value as JsonObject | readonly JsonValue[], depth + 1);
  }

  function beginning(text: string): string {
    // A secret that is cut is not recognised, so more is cleaned than is kept.
    const clean = scrub(beginningOf(text, left + KEPT_LENGTH));
    const kept = beginningOf(clean, Math.max(0, left));
    if (kept.length < clean.length || text.length > left + KEPT_LENGTH) {
      isCut = true;
    }
    left -= kept.length;
    return kept;
  }

  function container(
    value: JsonObject | readonly JsonValue[],
    depth: number,
  ): JsonValue {
    const isList = Array.isArray(value);
    const parts: [string | number, JsonValue | undefined][] = [];
    let isSame = true;
    for (const name of isList ? value.keys() : Object.keys(value)) {
      if (typeof name === "string") left -= name.length;
      if (left <= 0) {
        isCut = true;
        isSame = false;
        break;
      }
      const whole = (value as JsonObject)[name];
      const part = take(whole, depth);
      isSame &&= part === whole;
      parts.push([name, part]);
    }
    if (isSame) return value;
    return isList
      ? parts.map(([, part]) => part as JsonValue)
      : Object.fromEntries(parts);
  }

  // A part of a value has the kind of the whole.
  const part = take(value, 0) as Value;
  if (!isCut || isDeep(value)) return { value: part, details: {} };
  const bytes = new TextEncoder().encode(JSON.stringify(value)).length;
  return { value: part, details: { bytes } };
}
