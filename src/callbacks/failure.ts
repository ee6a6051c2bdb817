import { show, typeOf } from "../errors/text.ts";

/**
 * Way in which a callback failed: a timeout, an exception, a wrong result, an input that may not run, or an abort when its
 * answer was no longer needed.
 */
type FailureKind = "timeout" | "threw" | "shape" | "refused" | "aborted";

/** A callback returned no usable answer. */
export class CallbackFailure extends Error {
  override readonly name = "CallbackFailure";
  readonly kind: FailureKind;
  /** The timeout that passed, in milliseconds. */
  readonly limitMs: number | undefined;

  /** Takes the end of a sentence that begins with the callback: `failed: boom`. */
  constructor(
    kind: FailureKind,
    message: string,
    { cause, limitMs }: { cause?: unknown; limitMs?: number } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.kind = kind;
    this.limitMs = limitMs;
  }
}

/** Throws for a wrong return value. */
export function wrongShape(fact: string): never {
  throw new CallbackFailure("shape", `returned a wrong shape: ${fact}`);
}

/** Throws for a value in a return value, by the keys that lead to it. */
export function wrongValue(
  value: unknown,
  path: string,
  wanted: string,
): never {
  const actual = typeof value === "string" ? show(value) : kindOf(value);
  const field = path === "" ? "" : `field "${path}" `;
  return wrongShape(`${field}must be ${wanted}, is ${actual}`);
}

/** `array`, `an instance of Map`, ... */
function kindOf(value: unknown): string {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const isOdd = typeof value === "number" && !Number.isFinite(value);
    return isOdd ? String(value) : typeOf(value);
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return "object";
  const name = (value as { constructor?: { name?: unknown } }).constructor
    ?.name;
  return typeof name === "string" && name !== "" && name !== "Object"
    ? `an instance of ${name}`
    : "an object with another prototype";
}
