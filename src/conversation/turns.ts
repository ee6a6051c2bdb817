import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type { JsonObject } from "../types/json.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { SessionStateMessage } from "../protocol/messages_system.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import type { DeferredToolUse } from "./dropped_call.ts";
import {
  EMPTY_LEDGER,
  type LedgerEvent,
  type LedgerState,
  reduce,
  type ResultFacts,
  type ToolBlock,
} from "./ledger.ts";
import type { Consumer } from "./ownership.ts";
import { type Turn, TurnEnds } from "./turn_ends.ts";
import {
  TurnReader,
  type TurnSettings,
  type TurnSource,
} from "./turn_reader.ts";

/**
 * Feeds the ledger with what happens, and calls back when it has changed.
 *
 * Messages that decide are parsed as they arrive (see `wire/peek.ts`). The others may be parsed late, when a consumer takes
 * them or their turn ends, so tools may be seen after the result of their turn: they are over by then.
 */
export class Turns {
  /** Resolves with the first result. */
  readonly answered: Deferred<void> = new Deferred();
  /** Id of the session, from the newest message that carries one. */
  sessionId: string | undefined;
  /** Whether the CLI has ever asked about the call of a tool, or called one of ours. */
  hasAskedTool = false;
  /** The call that was deferred at the end of the last turn: the next prompt drops it. */
  deferredCall: DeferredToolUse | undefined;
  /** Ends of turns, for a reader by turns. */
  readonly ends: TurnEnds;
  readonly #onResult: (result: ResultMessage) => void;
  readonly #onDropped: (call: DeferredToolUse) => void;
  readonly #now: () => number;
  readonly #watchers: (() => void)[] = [];
  #state: LedgerState = EMPTY_LEDGER;
  /** Start of the first turn. */
  #first: { readonly version: unknown } | undefined;
  #onBegun: ((version: unknown) => void) | undefined;
  /** Whether watchers are owed a call. */
  #hasChanged = false;
  /** The placeholders of results that were skipped, with what those said. */
  readonly #placeholders = new WeakMap<Message, ResultFacts>();

  constructor(
    {
      isReadByTurn = false,
      onResult = () => {},
      onDropped = () => {},
      now = () => systemClock.now(),
    }: {
      readonly isReadByTurn?: boolean;
      readonly onResult?: (result: ResultMessage) => void;
      /** Called with a deferred call that a prompt dropped. */
      readonly onDropped?: (call: DeferredToolUse) => void;
      /** Milliseconds since 1970. */
      readonly now?: () => number;
    } = {},
  ) {
    this.ends = new TurnEnds(isReadByTurn);
    this.#onResult = onResult;
    this.#onDropped = onDropped;
    this.#now = now;
  }

  /** The ledger of this moment. */
  get state(): LedgerState {
    return this.#state;
  }

  /** Calls back when the first turn begins, at once when it has, with the version that the CLI reports. */
  onBegun(listener: (version: unknown) => void): void {
    this.#onBegun = listener;
    if (this.#first !== undefined) listener(this.#first.version);
  }

  /** Calls back whenever the ledger has changed. */
  watch(onChange: () => void): void {
    this.#watchers.push(onChange);
  }

  /** Makes a reader of one turn. */
  read(
    source: TurnSource,
    consumer: Consumer,
    settings: TurnSettings,
  ): TurnReader {
    return new TurnReader(source, this.ends, consumer, settings);
  }

  /** Notes something else than a prompt or a message. */
  note(event: LedgerEvent): void {
    this.#apply(event);
    this.#notify();
  }

  /** A prompt is about to be written: until the CLI reports otherwise a turn runs. */
  prompted(
    { uuid, name }: {
      readonly uuid: string | undefined;
      readonly name: string;
    },
  ): Turn {
    this.#dropCall();
    const turn = this.ends.add(uuid);
    this.note({ kind: "prompted", prompt: { key: turn.key, uuid, name } });
    return turn;
  }

  /** A prompt could not be written, and its sender knows. */
  unsent({ key }: Turn): void {
    this.note({ kind: "unsent", key });
  }

  /** The CLI has been silent for too long. Returns what takes the place of lost answers in the messages, where they are read by turns. */
  giveUp(): Message | undefined {
    const hasLost = this.#apply({ kind: "silence" }, SILENCE);
    this.#notify();
    return hasLost && this.ends.isReadByTurn ? SILENCE : undefined;
  }

  /** Takes the place of a message that was skipped, if that was to be a result: a turn ended there. */
  standIn(skipped: JsonObject): JsonObject | undefined {
    if (skipped.type !== "result") return undefined;
    const placeholder = { ...SILENCE };
    this.#placeholders.set(placeholder, skipped as ResultFacts);
    return placeholder;
  }

  /**
   * Looks at messages as they arrive, and takes out those for the host alone; in place, for the batch is given away.
   * Those that are parsed late, after others that came behind them, begin no turn.
   */
  see(given: readonly Message[], isLate = false): readonly Message[] {
    const batch = given as Message[];
    let kept = 0;
    for (let i = 0; i < batch.length; i++) {
      // The index is in bounds.
      const message = batch[i] as Message;
      if (!this.#state.hasSpoken && !isLate && isOfModel(message)) {
        this.#speak();
      }
      if (!this.#takes(message, isLate)) continue;
      if (kept !== i) batch[kept] = message;
      kept++;
    }
    batch.length = kept;
    this.#notify();
    return batch;
  }

  /** Looks at messages as they come off the queue for a reader by turns, and takes out those for the host alone. */
  handOver(messages: readonly Message[]): readonly Message[] {
    let kept: Message[] | undefined;
    for (let at = 0; at < messages.length; at++) {
      // The index is in bounds.
      const message = messages[at] as Message;
      this.ends.pass(message);
      if (isForHost(message)) {
        kept ??= messages.slice(0, at);
        continue;
      }
      this.ends.handedOut(message);
      kept?.push(message);
    }
    return kept ?? messages;
  }

  /** Applies an event, of which watchers are notified later; returns whether it settled prompts. */
  #apply(event: LedgerEvent, end?: Message): boolean {
    const before = this.#state;
    this.#state = reduce(before, event);
    if (this.#state === before) return false;
    this.#hasChanged = true;
    const { settled } = this.#state;
    if (settled.size === 0) return false;
    this.ends.settle(settled, end);
    return true;
  }

  #notify(): void {
    if (!this.#hasChanged) return;
    this.#hasChanged = false;
    for (const watcher of this.#watchers) watcher();
  }

  /** Notes what a message reports; false when it is for the host alone. */
  #takes(message: Message, isLate: boolean): boolean {
    switch (message.type) {
      case "stream_event":
        this.sessionId ??= message.session_id;
        return true;
      case "assistant":
        this.#sawBlocks(message.message.content, isLate);
        break;
      case "user":
        if (typeof message.message.content !== "string") {
          this.#sawBlocks(message.message.content, isLate);
        }
        break;
      case "result":
        this.answered.resolve();
        this.#onResult(message);
        this.#apply({ kind: "result", result: message }, message);
        this.deferredCall = message.subtype === "success"
          ? message.deferred_tool_use
          : undefined;
        if (this.#state.open.length > 0) this.#dropCall();
        break;
      case "command_lifecycle":
        this.#apply({ kind: "lifecycle", message }, message);
        break;
      case "system":
        if (message.subtype === "session_state_changed") {
          this.#sawState(message);
          return message.sdk_host_only !== true || this.ends.isReadByTurn;
        }
        if (message.subtype === "init") {
          this.#beginFirst(message.claude_code_version);
          this.#apply({ kind: "begun" });
        } else this.#apply({ kind: "system", message, nowMs: this.#now() });
        break;
    }
    if ("session_id" in message && typeof message.session_id === "string") {
      this.sessionId = message.session_id;
    }
    return true;
  }

  #dropCall(): void {
    const call = this.deferredCall;
    this.deferredCall = undefined;
    if (call !== undefined) this.#onDropped(call);
  }

  #sawState(message: SessionStateMessage): void {
    const facts = this.#placeholders.get(message);
    if (facts === undefined) {
      this.#apply({ kind: "state", state: message.state }, message);
    } else this.#apply({ kind: "skippedResult", facts }, message);
  }

  #sawBlocks(blocks: readonly ToolBlock[], isLate: boolean): void {
    // The tools of a turn that is over are over as well.
    if (isLate && !this.#state.hasSpoken) return;
    if (blocks.some(isOfTool)) this.#apply({ kind: "blocks", blocks });
  }

  #beginFirst(version: unknown): void {
    if (this.#first !== undefined) return;
    this.#first = { version };
    this.#onBegun?.(version);
  }

  #speak(): void {
    // Without `init` the version is not known.
    this.#beginFirst(undefined);
    this.#apply({ kind: "spoken" });
  }
}

/** Stands in the messages where a silence ended the wait for an answer. */
const SILENCE: SessionStateMessage & JsonObject = {
  type: "system",
  subtype: "session_state_changed",
  state: "idle",
  sdk_host_only: true,
  session_id: "",
  uuid: "",
};

function isOfTool({ type }: ToolBlock): boolean {
  return type === "tool_use" || type === "tool_result";
}

/** Whether the model itself says it, and no agent in the background. */
function isOfModel(message: Message): boolean {
  const { type } = message;
  return (type === "assistant" || type === "stream_event") &&
    (message.parent_tool_use_id ?? null) === null;
}

/** Whether a message is for the host alone. */
function isForHost(message: Message): boolean {
  return message.type === "system" &&
    message.subtype === "session_state_changed" &&
    message.sdk_host_only === true;
}
