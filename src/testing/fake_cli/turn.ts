import type { JsonObject } from "../../types/json.ts";
import type { FakeWire } from "./wire.ts";

/** Ends the steps of a turn: the host interrupted it. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  /** Whether a tool was about to run or running. */
  readonly forTool: boolean;

  constructor(forTool: boolean) {
    super("Interrupted");
    this.forTool = forTool;
  }
}

export class Turn {
  readonly wire: FakeWire;
  readonly prompts: readonly string[];
  /** When it began, milliseconds since 1970. */
  readonly startedAt: number = Date.now();
  readonly denials: JsonObject[] = [];
  /** How it failed; undefined while it has not. */
  failure: string | undefined;
  /** What the script wants of the result; false for none. */
  result: JsonObject | false | undefined;
  text = "";
  /** Calls of tools that are not done. */
  openTools = 0;
  /** API messages so far. */
  messages = 0;

  readonly #controller = new AbortController();
  #messageId: string | undefined;

  constructor(wire: FakeWire, prompts: readonly string[]) {
    this.wire = wire;
    this.prompts = prompts;
  }

  /** Aborts when the turn is interrupted, with an {@link Interrupted}. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the turn early. */
  interrupt(): void {
    this.#controller.abort(new Interrupted(this.openTools > 0));
  }

  /** Id of the API message that the next block belongs to. */
  messageId(): string {
    if (this.#messageId === undefined) {
      this.messages++;
      this.#messageId = `msg_${shortId()}`;
    }
    return this.#messageId;
  }

  /** The next block begins a new API message: a tool has given its result. */
  endMessage(): void {
    this.#messageId = undefined;
  }
}

/** A short id for messages and tool calls. */
export function shortId(): string {
  return crypto.randomUUID().replaceAll("-", "").slice(0, 20);
}
