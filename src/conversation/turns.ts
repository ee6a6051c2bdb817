import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  CommandLifecycleMessage,
  Message,
} from "../protocol/messages_other.ts";
import type { SessionStateMessage } from "../protocol/messages_system.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { type Task, Tasks } from "./tasks.ts";

/*
 * Which prompt a result answers, whether the session is idle, whether stdin may close: this ledger alone knows. It is
 * fed once, as messages arrive, and asked at any time. What runs in the background it leaves to `tasks.ts`.
 *
 * | what comes                           | what becomes of the prompts                                         |
 * | ------------------------------------ | ------------------------------------------------------------------- |
 * | a prompt is about to be written      | it is open, behind the others                                       |
 * | it could not be written              | nothing is owed for it, if whoever sent it was told                 |
 * | lifecycle cancelled, discarded, ...  | it was taken back                                                   |
 * | lifecycle completed                  | it is done: its result is there, or comes before the turn ends      |
 * | a result that names prompts          | answers those; what is done and still open has lost its result      |
 * | a result of the CLI's own work       | answers nothing: `origin` says so, or no name where names are given |
 * | any other result, or an error        | answers the oldest open one                                         |
 * | any result                           | answers the prompt without an id, if that is the oldest             |
 * | idle                                 | what is done and still open, or has no id, has lost its result      |
 * | a result that is skipped             | as the result would have, but those it answers have lost theirs     |
 * | idle, no result, and a line was lost | the same: that line was the result                                  |
 * | silence for too long, a short one of | what was written before the CLI was idle, or answered, has lost its |
 * | a CLI that tells nothing of prompts  | result                                                              |
 *
 * A prompt that has lost its result was merged into the newest one's turn, and shares that, if this CLI did not begin
 * with it later: also where a result can name no more than one, and where one that lists all was forgetful but the CLI had
 * begun with the prompt in that turn. Not if another turn has begun since, or a line was lost, which may have been its own.
 *
 * A turn runs while the CLI says so; for one that does not report its state, from a prompt or `init` to the result.
 *
 * What decides is parsed as it arrives (see `wire/peek.ts`); the rest of what was read ahead is parsed when somebody
 * takes it, or its turn ends, so tools may be seen after the result of their turn: they are over then.
 *
 * A client reads turn by turn: it must know where in its messages a turn ends. So each prompt that is over keeps the
 * message it was over with, and {@link Turns.handOver} tells when that message has passed.
 */

/** What became of one prompt. */
export interface Turn {
  /** Id of its user line; `undefined` for the one prompt that has none. */
  readonly uuid: string | undefined;
  /** What errors call it. */
  readonly name: string;
  /** How often the CLI had been idle when it was written. */
  readonly idles: number;
  /** How many turns had ended when it was written. */
  readonly ends: number;
  /** How many had ended when the CLI began with it; `undefined` where that is not told. */
  begunAfter?: number;
  /** Whether the CLI says that it has done all of it. */
  isDone: boolean;
  /** The message with which it was over: its result, the word that it was taken back, or what showed that its result was lost. */
  end?: Message;
  result?: ResultMessage;
  /** Whether nothing more of it comes off the window. */
  isPassed: boolean;
  /** What came last of it; absent when that is not known. */
  last?: Message;
  /** Whether somebody has read its answer, or is about to. */
  isRead: boolean;
}

/** What goes on: a turn runs or is owed, tasks of the agent do, the turn that tells the model of their end may come, or nothing. */
export type Work = "turn" | "tasks" | "followUp" | "nothing";

/** What stdin waits for: for prompts and answers, or for other work. */
export type StdinWait = "prompts" | Exclude<Work, "turn">;

/** What a result tells of its turn, or a line that was to be one. */
type Told =
  & Pick<ResultMessage, "user_message_uuid" | "user_message_uuids" | "origin">
  & { readonly is_error?: unknown };

/** The ledger of turns. */
export class Turns {
  /** Resolves with the first result. */
  readonly answered: Deferred<void> = new Deferred();
  /** Id of the session, from the newest message that carries one. */
  sessionId: string | undefined;
  /** Whether somebody reads turn by turn, and so hands every message over; set before the first prompt. */
  isReadByTurn: boolean;
  /** Whether the start is over. */
  isReady = false;
  /** Whether nothing more can be written to the CLI; what is left is its exit. */
  isStdinClosed = false;
  /** Whether the model has said something in a turn that is not over. */
  hasSpoken = false;
  /** Whether the CLI has ever asked about the call of a tool, or called one of ours. */
  hasAskedTool = false;
  results = 0;
  /** The newest result, from the moment it arrives. */
  lastResult: ResultMessage | undefined;
  /** Whether an error result came: the CLI repeats it as exit code 1, whatever came after it. */
  hasErrorResult = false;
  readonly #onResult: (result: ResultMessage) => void;
  readonly #tasks: Tasks;
  readonly #watchers: (() => void)[] = [];
  /** Prompts that are open, and with a reader by turns those whose answer nobody has read. */
  #turns: Turn[] = [];
  readonly #openTools = new Set<string>();
  /** What the CLI said last; `undefined` for one that does not report its state. */
  #state: SessionStateMessage["state"] | undefined;
  #hasRun = false;
  /** How the first turn began. */
  #first: { readonly version: unknown } | undefined;
  #onBegun: ((version: unknown) => void) | undefined;
  /** How often it said that it is idle. */
  #idles = 0;
  /** Whether a turn has begun since the last result. */
  #hasBegun = false;
  /** Whether a line was lost since, which may have been the result. */
  #hasLostLine = false;
  #namesPrompts = false;
  /** Whether it lists all that a result answers. */
  #listsPrompts = false;
  /** How many turns ended, those whose result was lost included. */
  #ends = 0;
  /** The newest result of a prompt, and whether it has come off the window. */
  #newest: { readonly result: ResultMessage; isPassed: boolean } | undefined;
  /** Names of the prompts whose result was lost. */
  readonly #lost: string[] = [];
  #isPromptOver = false;
  #hasChanged = false;
  /** The message handed over last. */
  #last: Message | undefined;
  /** What stands for results that were skipped, with what they told. */
  readonly #standIns = new WeakMap<Message, Told>();

  /** Says whether somebody reads turn by turn, who hears of results, and what time it is. */
  constructor(
    {
      isReadByTurn = false,
      onResult = () => {},
      now = () => systemClock.now(),
    }: {
      readonly isReadByTurn?: boolean;
      readonly onResult?: (result: ResultMessage) => void;
      readonly now?: () => number;
    } = {},
  ) {
    this.isReadByTurn = isReadByTurn;
    this.#onResult = onResult;
    this.#tasks = new Tasks(now);
  }

  /** Calls back when the first turn begins, at once when it has, with the version that the CLI says it is. */
  onBegun(listener: (version: unknown) => void): void {
    this.#onBegun = listener;
    if (this.#first !== undefined) listener(this.#first.version);
  }

  get isRunning(): boolean {
    if (this.#state === undefined) {
      return this.#hasBegun || this.#turns.some(isOpen);
    }
    // It may not have read yet what was written after it was idle.
    return this.#state !== "idle" ||
      this.#turns.some((one) => isOpen(one) && one.idles === this.#idles);
  }

  /** Whether a turn or a background task runs. */
  get isBusy(): boolean {
    return this.isRunning || this.#tasks.size > 0;
  }

  /** Whether the CLI waits for a decision, or a tool runs. */
  get isWaiting(): boolean {
    return this.#state === "requires_action" ||
      this.isRunning && this.#openTools.size > 0;
  }

  /** Names of the prompts that have no result and were not taken back. */
  get unanswered(): readonly string[] {
    const open = this.#turns.filter(isOpen).map(({ name }) => name);
    return [...this.#lost, ...open];
  }

  /**
   * What stdin waits for: hooks, permission callbacks and tools need it open as long as the CLI may ask.
   *
   * Where the CLI does not report its state, a turn is over with its result.
   */
  get stdinWait(): StdinWait {
    const isOver = this.isReady && this.#isPromptOver && !this.#isOwing;
    return isOver ? this.#background : "prompts";
  }

  /** What goes on. A CLI says that it is running also while an agent in the background is, with no turn. */
  get work(): Work {
    const isBetween = this.#state === "running" && this.#tasks.size > 0 &&
      !this.#hasBegun && !this.#turns.some(isOpen);
    return this.#isOwing && !isBetween ? "turn" : this.#background;
  }

  /** Whether a turn runs, or a prompt has no answer. */
  get #isOwing(): boolean {
    return this.isRunning || this.#turns.some(isOpen);
  }

  /** What goes on beside turns. */
  get #background(): Exclude<Work, "turn"> {
    if (this.#tasks.size > 0) return "tasks";
    return this.#tasks.isFollowUpDue ? "followUp" : "nothing";
  }

  /** The tasks in the background, the oldest first. */
  get tasks(): readonly Task[] {
    return this.#tasks.all;
  }

  /** How many prompts wait for their turn. */
  get queued(): number {
    const open = this.#turns.filter(isOpen);
    const waiting = open.filter((one) => one.begunAfter === undefined).length;
    // Where that is not told, the oldest is the one that runs.
    return waiting === open.length ? Math.max(waiting - 1, 0) : waiting;
  }

  /** What a sign of life is due for, as a row of the table of endings; `undefined` while silence is fine. */
  get isDue(): "silence" | "tool" | "tasks" | "exit" | undefined {
    if (this.isStdinClosed) return this.#tasks.size > 0 ? "tasks" : "exit";
    if (!this.#isOwing) return undefined;
    const isToolOpen = this.#openTools.size > 0 && this.isRunning;
    return isToolOpen && this.#state !== "requires_action" ? "tool" : "silence";
  }

  /** Calls back whenever an answer given here may have become another. */
  watch(onChange: () => void): void {
    this.#watchers.push(onChange);
  }

  /** The start is over; before that nothing ends it but its own limit. */
  ready(): void {
    this.isReady = true;
    this.#onChange();
  }

  /** No more prompts come. */
  promptsOver(): void {
    this.#isPromptOver = true;
    this.#onChange();
  }

  /**
   * The CLI has been silent for too long: gives up what nothing will come of, which is all that was written before it
   * was idle, or answered. Gives what takes the place of the answers in the messages, where somebody reads by turns.
   */
  giveUp(): Message | undefined {
    const open = this.#turns.filter(isOpen);
    const late = open.filter((turn) =>
      this.#state === undefined
        ? !this.#hasBegun && turn.ends < this.#ends
        : this.#state === "idle" && turn.idles < this.#idles
    );
    for (const turn of late) this.#lose(turn, SILENCE);
    if (open.length === 0) {
      // All is answered: that it is idle is the one thing it did not say.
      if (this.#state !== undefined) this.#state = "idle";
      this.#hasBegun = false;
    }
    this.#forget();
    this.#onChange();
    return late.length > 0 && this.isReadByTurn ? SILENCE : undefined;
  }

  /** The turn that was to tell the model of the end of a task does not come. */
  noFollowUp(): void {
    this.#tasks.isFollowUpDue = false;
    this.#onChange();
  }

  /** A prompt is about to be written: until the CLI says otherwise a turn runs. */
  prompted({ uuid, name }: Pick<Turn, "uuid" | "name">): Turn {
    const turn = {
      uuid,
      name,
      idles: this.#idles,
      ends: this.#ends,
      isDone: false,
      isPassed: false,
      isRead: false,
    };
    this.#turns.push(turn);
    this.#tasks.isFollowUpDue = false;
    this.#onChange();
    return turn;
  }

  /** A prompt could not be written, and whoever sent it knows: nothing is owed for it. */
  unsent(turn: Turn): void {
    turn.isPassed = true;
    this.#forget();
    this.#onChange();
  }

  /** A line was lost of which nobody knows what it was; that of a turn that runs may have been its result. */
  lostLine(): void {
    this.#hasLostLine = true;
    this.#newest = undefined;
  }

  /** Takes the place of a message that was skipped, if that was to be a result: a turn ended there. */
  standIn(skipped: JsonObject): JsonObject | undefined {
    if (skipped.type !== "result") return undefined;
    const standIn = { ...SILENCE };
    this.#standIns.set(standIn, skipped as Told);
    return standIn;
  }

  /**
   * Looks at messages as they arrive, and takes out what is for the host alone; in place, for the batch is given away.
   * Those that are parsed late, after others that came behind them, begin no turn.
   */
  see(given: readonly Message[], isLate = false): readonly Message[] {
    const batch = given as Message[];
    let kept = 0;
    for (let i = 0; i < batch.length; i++) {
      // The index is in bounds.
      const message = batch[i] as Message;
      if (!this.hasSpoken && !isLate && isOfModel(message)) this.#speak();
      if (!this.#takes(message, isLate)) continue;
      if (kept !== i) batch[kept] = message;
      kept++;
    }
    batch.length = kept;
    if (this.#hasChanged) {
      this.#hasChanged = false;
      this.#forget();
      this.#onChange();
    }
    return batch;
  }

  /** Looks at messages as they come off the window for a reader by turns, and takes out what is for the host alone. */
  handOver(messages: readonly Message[]): readonly Message[] {
    let kept: Message[] | undefined;
    for (let at = 0; at < messages.length; at++) {
      // The index is in bounds.
      const message = messages[at] as Message;
      const { type } = message;
      if (
        type === "result" || type === "command_lifecycle" || type === "system"
      ) this.#pass(message);
      if (isForHost(message)) {
        kept ??= messages.slice(0, at);
        continue;
      }
      this.#last = message;
      kept?.push(message);
    }
    return kept ?? messages;
  }

  /** Takes a prompt by its id, else the oldest whose answer nobody has read. */
  take(uuid?: string): Turn | undefined {
    const turn = this.#turns.find((one) =>
      !one.isRead && (uuid === undefined || one.uuid === uuid)
    );
    if (turn !== undefined) turn.isRead = true;
    this.#forget();
    return turn;
  }

  /** Messages that a reader of all of them has consumed. */
  markRead(messages: readonly Message[]): void {
    for (const message of messages) {
      if (message.type !== "result") continue;
      for (const turn of this.#turns) {
        if (turn.result === message) turn.isRead = true;
      }
    }
    this.#forget();
  }

  #onChange(): void {
    for (const watcher of this.#watchers) watcher();
  }

  /** Notes what a message tells; false when it is for the host alone. */
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
        this.#sawResult(message);
        break;
      case "command_lifecycle":
        this.#sawLife(message);
        break;
      case "system":
        if (message.subtype === "session_state_changed") {
          this.#sawState(message);
          return message.sdk_host_only !== true || this.isReadByTurn;
        }
        if (message.subtype === "init") {
          this.#beginFirst(message.claude_code_version);
          this.#begin();
        } else if (this.#tasks.see(message)) this.#hasChanged = true;
        break;
    }
    if ("session_id" in message && typeof message.session_id === "string") {
      this.sessionId = message.session_id;
    }
    return true;
  }

  #sawBlocks(
    blocks: readonly {
      readonly type: string;
      readonly id?: string;
      readonly tool_use_id?: string;
    }[],
    isLate: boolean,
  ): void {
    // The tools of a turn that is over are over as well.
    if (isLate && !this.hasSpoken) return;
    const wasOpen = this.#openTools.size > 0;
    for (const { type, id, tool_use_id: answered } of blocks) {
      if (type === "tool_use" && id !== undefined) this.#openTools.add(id);
      else if (type === "tool_result" && answered !== undefined) {
        this.#openTools.delete(answered);
      }
    }
    if (this.#openTools.size > 0 !== wasOpen) this.#hasChanged = true;
  }

  #beginFirst(version: unknown): void {
    if (this.#first !== undefined) return;
    this.#first = { version };
    this.#onBegun?.(version);
  }

  /** A turn begins, or goes on. */
  #begin(): void {
    this.#hasChanged = this.#hasBegun = true;
    this.#tasks.isFollowUpDue = false;
    this.#newest = undefined;
  }

  #speak(): void {
    // What would have told more was lost.
    this.#beginFirst(undefined);
    this.hasSpoken = true;
    this.#begin();
  }

  #sawResult(result: ResultMessage): void {
    this.results++;
    this.lastResult = result;
    this.answered.resolve();
    if (result.is_error) this.hasErrorResult = true;
    this.#onResult(result);
    this.#endTurn(result, result);
  }

  /** A turn ended: with its result, or with what stands for one that was lost. */
  #endTurn(told: Told, end: Message): void {
    this.#hasChanged = true;
    this.#ends++;
    this.#hasBegun = this.hasSpoken = this.#tasks.isFollowUpDue = false;
    this.#hasLostLine = false;
    this.#openTools.clear();
    const named = namedPrompts(told);
    if (named.size > 0) this.#namesPrompts = true;
    if (Array.isArray(told.user_message_uuids)) this.#listsPrompts = true;
    const answered = this.#answeredBy(told, named);
    const isShared = end.type === "result" && answered.length > 0;
    this.#newest = isShared ? { result: end, isPassed: false } : undefined;
    for (const turn of answered) {
      if (end.type === "result") turn.end = turn.result = end;
      else this.#lose(turn, end);
    }
    if (named.size > 0 || !this.#namesPrompts) this.#loseDone(end);
  }

  #answeredBy(
    told: Told,
    named: ReadonlySet<unknown>,
  ): readonly Turn[] {
    const open = this.#turns.filter(isOpen);
    const oldest = open.slice(0, 1);
    // What it is called by the CLI nobody knows here.
    const isNameless = oldest.some(({ uuid }) => uuid === undefined);
    if (named.size > 0) {
      return isNameless ? oldest : open.filter(({ uuid }) => named.has(uuid));
    }
    // Of a turn that no prompt began.
    if (told.origin?.kind === "task-notification") return [];
    return isNameless || told.is_error || !this.#namesPrompts ? oldest : [];
  }

  #sawLife(message: CommandLifecycleMessage): void {
    const { state, command_uuid: uuid } = message;
    if (state === "queued") return;
    const turn = this.#turns.find((one) => one.uuid === uuid && isOpen(one));
    if (turn === undefined) return;
    this.#hasChanged = true;
    if (state === "started") turn.begunAfter = this.#ends;
    else if (state !== "completed") turn.end = message;
    else if ((turn.begunAfter ?? this.#ends) < this.#ends) {
      // Its turn has ended, and nothing in it was said to be its answer.
      this.#lose(turn, message);
    } else turn.isDone = true;
  }

  #sawState(message: SessionStateMessage): void {
    const lost = this.#standIns.get(message);
    if (lost !== undefined) return this.#endTurn(lost, message);
    this.#hasChanged = true;
    const wasRunning = this.#state !== undefined && this.#state !== "idle";
    // Of an unknown state nobody can say whether work goes on in it: from here on results decide, as without states.
    this.#state = STATES.has(message.state) ? message.state : undefined;
    if (this.#state === undefined) return;
    if (message.state === "idle") {
      if (this.#hasLostLine && wasRunning) this.#endTurn({}, message);
      this.hasSpoken = false;
      this.#openTools.clear();
      this.#idles++;
      this.#loseDone(message);
    } else {
      if (!wasRunning) this.#hasLostLine = false;
      this.#hasRun = true;
      this.#tasks.isFollowUpDue = false;
      this.#newest = undefined;
    }
  }

  /** What is done and was not answered by now never will be: the line of its result was lost. */
  #loseDone(end: Message): void {
    for (const turn of this.#turns) {
      // Of the one that has no id nobody says that it is done.
      const isDone = turn.isDone || turn.uuid === undefined && this.#hasRun;
      if (isDone && isOpen(turn)) this.#lose(turn, end);
    }
  }

  /** Nothing more will come of a prompt: it shares a result, or its own was lost. */
  #lose(turn: Turn, end: Message): void {
    if (this.#share(turn)) return;
    turn.end = end;
    this.#lost.push(turn.name);
  }

  /** Several prompts may have been merged into the turn of one result; not those that the CLI began with later. */
  #share(turn: Turn): boolean {
    if (this.#newest === undefined) return false;
    if ((turn.begunAfter ?? turn.ends) >= this.#ends) return false;
    // It was done before the result came that names another.
    if (this.#namesPrompts && turn.isDone) return false;
    if (this.#listsPrompts && turn.begunAfter !== this.#ends - 1) return false;
    const { result, isPassed } = this.#newest;
    turn.end = turn.result = result;
    turn.isPassed = isPassed;
    if (isPassed) turn.last = result;
    return true;
  }

  /** A message with which prompts were over has come off the window. */
  #pass(message: Message): void {
    if (this.#newest?.result === message) this.#newest.isPassed = true;
    for (const turn of this.#turns) {
      if (turn.end !== message || turn.isPassed) continue;
      turn.isPassed = true;
      // What only showed the loss of its result is of another turn.
      const isOwn = message === turn.result ||
        message.type === "command_lifecycle";
      const last = isOwn ? message : this.#last;
      if (last !== undefined) turn.last = last;
    }
  }

  /** What is over, and read where somebody reads by turns, needs no place. */
  #forget(): void {
    if (!this.isReadByTurn) {
      this.#turns = this.#turns.filter((one) => isOpen(one));
      return;
    }
    while (this.#turns[0]?.isPassed && this.#turns[0].isRead) {
      this.#turns.shift();
    }
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

/** The states of which it is known what they mean. */
const STATES: ReadonlySet<string> = new Set<SessionStateMessage["state"]>([
  "idle",
  "running",
  "requires_action",
]);

function isOpen({ end, isPassed }: Turn): boolean {
  return end === undefined && !isPassed;
}

/** Whether the model says it, and not one that works for it in the background. */
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

/** Ids of the prompts that a result answers, where the CLI names them; both fields are optional and may hold anything. */
function namedPrompts(
  { user_message_uuid: first, user_message_uuids: all }: Told,
): ReadonlySet<unknown> {
  const named = new Set<unknown>(Array.isArray(all) ? all : []);
  if (first !== undefined) named.add(first);
  return named;
}
