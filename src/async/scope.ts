/** A failure while something was closed, with the name of that something. */
export interface CloseFailure {
  /** What failed to close. */
  readonly resource: string;
  /** Why. */
  readonly cause: unknown;
}

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
    // Whoever opens something after the end has it closed at once.
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
    if (failures.length === 1) throw failures[0];
    if (failures.length > 1) {
      throw new AggregateError(
        failures,
        `Several things failed to close: ${
          failures.map((one) => (one as Error).message).join("; ")
        }`,
      );
    }
  }
}

/** The place of one thing in a scope. */
export class Slot {
  /** What stands here. */
  readonly resource: string;
  #close: Close | undefined;
  #isClosed = false;

  constructor(resource: string) {
    this.resource = resource;
  }

  /** Says how the thing is closed; one that comes too late is closed at once. */
  fill(close: Close): void {
    if (this.#isClosed) {
      // Nobody waits any more, and its failure has nobody to go to.
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
  if (cause instanceof AggregateError) return cause.errors;
  const text = cause instanceof Error ? cause.message : String(cause);
  return [new Error(`Cannot close ${resource}: ${text}`, { cause })];
}
