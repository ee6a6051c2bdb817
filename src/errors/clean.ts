import type { Scrubber } from "./scrubber.ts";
import { scrubbed } from "./secrets.ts";

/** Takes secrets out of an error of this package, which stays the same object; causes that hold any are replaced by clean copies. */
export function cleanError<Value>(error: Value, scrubber: Scrubber): Value {
  if (error instanceof Error) {
    apply(error, changesOf(error, scrubber, new Set([error])));
  }
  return error;
}

/** Somebody else's value without secrets: the same when it has none, else a copy. */
export function cleanCopy<Value>(value: Value, scrubber: Scrubber): Value {
  return copied(value, scrubber, new Set());
}

function copied<Value>(
  value: Value,
  scrubber: Scrubber,
  seen: Set<Error>,
): Value {
  return scrubbed(value, (text) => scrubber.scrub(text), (error) => {
    if (seen.has(error)) return error;
    const changes = changesOf(error, scrubber, new Set([...seen, error]));
    if (changes.size === 0) return error;
    const copy = Object.create(
      Object.getPrototypeOf(error),
      Object.getOwnPropertyDescriptors(error),
    );
    // Some classes keep these two where a copy has nothing.
    changes.set("name", changes.get("name") ?? error.name);
    changes.set("message", changes.get("message") ?? error.message);
    apply(copy, changes);
    return copy;
  });
}

type Changes = Map<string, unknown>;

/** The fields that hold a secret, as they may be shown. */
function changesOf(
  error: Error,
  scrubber: Scrubber,
  seen: Set<Error>,
): Changes {
  const changes: Changes = new Map();
  const look = (name: string, value: unknown) => {
    const clean = name === "stderrTail" && typeof value === "string"
      ? scrubber.scrubTail(value)
      : copied(value, scrubber, seen);
    if (clean !== value) changes.set(name, clean);
  };
  for (const name of Object.getOwnPropertyNames(error)) {
    if (name === "stack") continue;
    const field = Object.getOwnPropertyDescriptor(error, name);
    if (field !== undefined && "value" in field) look(name, field.value);
  }
  // That of a DOMException is no field.
  if (!Object.hasOwn(error, "message")) look("message", error.message);
  // It begins with the message, and is made when it is first read.
  if (changes.has("message")) look("stack", error.stack);
  return changes;
}

function apply(error: Error, changes: Changes): void {
  for (const [name, value] of changes) {
    const { enumerable = false } =
      Object.getOwnPropertyDescriptor(error, name) ?? {};
    Object.defineProperty(error, name, {
      value,
      enumerable,
      configurable: true,
      writable: true,
    });
  }
}
