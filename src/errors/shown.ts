/** Something that an object shows, and the name it stands under. */
export type Field = readonly [name: PropertyKey, value: unknown];

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
export function isVoice(name: PropertyKey): boolean {
  return name === "toJSON" || name === "toString" ||
    name === Symbol.toPrimitive || isInspector(name);
}

/** The methods that say so for the class of an object. */
export function voicesOf(value: object): readonly PropertyKey[] {
  return prototypesOf(value).filter((one) => !isBuiltIn(one))
    .flatMap((one) => Reflect.ownKeys(one)).filter(isVoice);
}

/** What a log or JSON shows of an object. */
export interface Shown {
  /** Its fields, those of the runtime's own classes included; each was read once. */
  readonly fields: readonly Field[];
  /** What else: what it makes of itself as a text or as JSON, its entries, its bytes. */
  readonly sayings: readonly unknown[];
  /** Whether there may be more, which nobody can know. */
  readonly isSealed: boolean;
}

/** Looks at an object as logs and JSON do. */
export function shownBy(value: object): Shown {
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
