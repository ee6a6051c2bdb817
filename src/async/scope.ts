import { textOfError } from "../errors/text.ts";

type Close = () => void | Promise<void>;

/**
 * Things that were opened, closed in the reverse order of their slots.
 *
 * A slot is taken before the thing exists and filled when it does, so the order of closing does not depend on which was
 * fastest. Everything is closed, also when some closures fail; a second `close()` gets the same promise.
 */
export class Scope {
  readonly #slots: Slot[] = [];
  #closing: Promise<void> | undefined;

  /** Takes the next slot. */
  slot(resource: string): Slot {
    const slot = new Slot(resource);
    // Opened after the end: closed at once.
    if (this.#closing === undefined) this.#slots.push(slot);
    else slot.close();
    return slot;
  }

  /** Takes a slot and fills it at once. */
  own(resource: string, close: Close): void {
    this.slot(resource).fill(close);
  }

  /** Closes everything; rejects with the one failure, or an `AggregateError` of several. */
  close(): Promise<void> {
    return this.#closing ??= this.#closeAll();
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const slot of this.#slots.toReversed()) {
      try {
        await slot.close();
      } catch (cause) {
        failures.push(...partsOf(slot.resource, cause));
      }
    }
    const texts = failures.map(textOfError).join("; ");
    throwFailures(failures, `Several things failed to close: ${texts}`);
  }
}

/** The place of one thing in a scope. */
class Slot {
  readonly resource: string;
  #close: Close | undefined;
  #isClosed = false;

  constructor(resource: string) {
    this.resource = resource;
  }

  /** Says how the thing is closed; one that comes too late is closed at once. */
  fill(close: Close): void {
    if (this.#isClosed) {
      // Too late to report a failure.
      Promise.resolve().then(close).catch(() => {});
    } else this.#close = close;
  }

  /** Closes the thing, if there is one. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const close = this.#close;
    this.#close = undefined;
    await close?.();
  }
}

/** The parts of an aggregate speak for themselves; anything else gets the name of its resource. */
function partsOf(resource: string, cause: unknown): readonly unknown[] {
  return cause instanceof AggregateError
    ? cause.errors
    : [closeFailure(resource, cause)];
}

/** Closes things at once, or flushes them, each also when others fail; what went wrong, by name. */
export async function closeAll<Thing>(
  things: Iterable<readonly [name: string, thing: Thing]>,
  close: (thing: Thing, name: string) => Promise<void>,
): Promise<Map<string, unknown>> {
  const failures = await Promise.all(
    Array.from(
      things,
      ([name, thing]) =>
        close(thing, name).then(() => [], (cause) => [[name, cause] as const]),
    ),
  );
  return new Map<string, unknown>(failures.flat());
}

/** The error for a resource that failed to close. */
export function closeFailure(resource: string, cause: unknown): Error {
  return new Error(`Cannot close ${resource}: ${textOfError(cause)}`, {
    cause,
  });
}

/** Throws the one failure as it is, several as an `AggregateError` with this text; returns when there are none. */
export function throwFailures(
  failures: readonly unknown[],
  text: string,
): void {
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, text);
}
