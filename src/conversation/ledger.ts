import { asList } from "../errors/text.ts";
import type { CommandLifecycleMessage } from "../protocol/messages_other.ts";
import type {
  SessionStateMessage,
  SystemMessage,
} from "../protocol/messages_system.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { NO_TASKS, type Tasks, tasksAfter } from "./tasks.ts";

/*
 * The ledger alone decides which prompt a result answers, whether the session is idle, and whether stdin may close.
 * It is plain data; {@link reduce} makes the next state of an event, and `work.ts` answers questions about a state.
 *
 * | event                            | prompts                                                            |
 * | -------------------------------- | ------------------------------------------------------------------ |
 * | prompted                         | one more is open, behind the others                                |
 * | unsent                           | closed: the sender got the error                                   |
 * | lifecycle started, completed     | its phase; a completed one has its result, or has lost it          |
 * | lifecycle cancelled, ...         | taken back                                                         |
 * | result that names prompts        | answers those                                                      |
 * | result without a name            | answers the oldest, from a CLI that has named none so far, or that |
 * |                                  | has started it and reports no state                                |
 * | ... of the CLI's own work        | answers none                                                       |
 * | ... that is an error             | answers the oldest                                                 |
 * | any result                       | answers the prompt without an id, if that is the oldest            |
 * | any result                       | those that are completed and not answered have lost theirs         |
 * | a result that cannot be read     | as it would have been, but those it answers have lost their result |
 * | idle                             | those that are completed have lost their result, and the one       |
 * |                                  | without an id, if a turn ran since it was written                  |
 * | silence                          | those written before the last rest have lost their result          |
 *
 * A turn runs while the CLI reports so. For a CLI that reports no state: from a prompt or `init` to the result. A rest is
 * the time between turns: it begins with `idle`, or with the result where no state is reported.
 */

/** A prompt that is not settled. */
export interface Prompt {
  /** Its key in the ledger. */
  readonly key: number;
  /** Id of its user line; `undefined` for the one prompt that has none. */
  readonly uuid: string | undefined;
  /** Its name in errors. */
  readonly name: string;
  readonly phase: "queued" | "started" | "completed";
  /** Number of rests before it was written. */
  readonly rests: number;
}

/** The fate of a prompt. */
export type Fate = "answered" | "lost" | "takenBack" | "unsent";

/** The session state that the CLI reports. */
export type CliState = SessionStateMessage["state"];

/** All that is known of prompts, turns and tasks. */
export interface LedgerState {
  /** The oldest first. */
  readonly open: readonly Prompt[];
  /** Prompts that the last event settled. */
  readonly settled: ReadonlyMap<number, Fate>;
  /** Names of the prompts whose result was lost. */
  readonly lost: readonly string[];
  /** Whether the start is over; before that nothing ends it but its own timeout. */
  readonly isReady: boolean;
  /** Whether no more prompts come. */
  readonly hasInputEnded: boolean;
  /** Whether nothing more can be written to the CLI; what is left is its exit. */
  readonly isStdinClosed: boolean;
  /** The last reported state; `undefined` for a CLI that reports none. */
  readonly reported: CliState | undefined;
  readonly rests: number;
  /** Whether a turn has begun since the last result. */
  readonly isInTurn: boolean;
  /** Whether the model has said something in this turn. */
  readonly hasSpoken: boolean;
  readonly openTools: ReadonlySet<string>;
  /** Whether the CLI has ever named a prompt in a result. */
  readonly namesPrompts: boolean;
  readonly tasks: Tasks;
  /** Whether the turn that reports the end of the last task to the model may still come; any turn or prompt will do. */
  readonly isFollowUpDue: boolean;
  readonly results: number;
  readonly lastResult: ResultMessage | undefined;
  /** Whether an error result came: the CLI repeats it as exit code 1, whatever came after it. */
  readonly hasErrorResult: boolean;
}

/** The fields of a result about its turn. */
export type ResultFacts =
  & Pick<ResultMessage, "user_message_uuid" | "user_message_uuids" | "origin">
  & { readonly is_error?: unknown };

/** A block of a message, as far as tools go. */
export interface ToolBlock {
  readonly type: string;
  readonly id?: string;
  readonly tool_use_id?: string;
}

export type LedgerEvent =
  | { readonly kind: "ready" | "inputEnded" | "stdinClosed" }
  | {
    readonly kind: "prompted";
    readonly prompt: Pick<Prompt, "key" | "uuid" | "name">;
  }
  | { readonly kind: "unsent"; readonly key: number }
  | { readonly kind: "begun" | "spoken" }
  | { readonly kind: "blocks"; readonly blocks: readonly ToolBlock[] }
  | { readonly kind: "lifecycle"; readonly message: CommandLifecycleMessage }
  | { readonly kind: "result"; readonly result: ResultMessage }
  | { readonly kind: "skippedResult"; readonly facts: ResultFacts }
  | { readonly kind: "state"; readonly state: CliState }
  | {
    readonly kind: "system";
    readonly message: SystemMessage;
    readonly nowMs: number;
  }
  /** The CLI has said nothing for too long. */
  | { readonly kind: "silence" }
  | { readonly kind: "noFollowUp" };

type Changes = Partial<LedgerState> | undefined;

const NONE_SETTLED: ReadonlyMap<number, Fate> = new Map();
const NO_TOOLS: ReadonlySet<string> = new Set();

/** The states whose meaning is known. */
const STATES: ReadonlySet<string> = new Set<CliState>([
  "idle",
  "running",
  "requires_action",
]);

export const EMPTY_LEDGER: LedgerState = {
  open: [],
  settled: NONE_SETTLED,
  lost: [],
  isReady: false,
  hasInputEnded: false,
  isStdinClosed: false,
  reported: undefined,
  rests: 0,
  isInTurn: false,
  hasSpoken: false,
  openTools: NO_TOOLS,
  namesPrompts: false,
  tasks: NO_TASKS,
  isFollowUpDue: false,
  results: 0,
  lastResult: undefined,
  hasErrorResult: false,
};

/** The state after an event; the same object when the event changes nothing. */
export function reduce(state: LedgerState, event: LedgerEvent): LedgerState {
  const changes = changesOf(state, event);
  if (changes === undefined) return state;
  return { ...state, settled: NONE_SETTLED, ...changes };
}

function changesOf(state: LedgerState, event: LedgerEvent): Changes {
  switch (event.kind) {
    case "ready":
      return { isReady: true };
    case "inputEnded":
      return { hasInputEnded: true };
    case "stdinClosed":
      return { isStdinClosed: true };
    case "prompted":
      return prompted(state, event.prompt);
    case "unsent":
      return settle(state, "unsent", ({ key }) => key === event.key);
    case "begun":
      return { isInTurn: true, isFollowUpDue: false };
    case "spoken":
      return { isInTurn: true, isFollowUpDue: false, hasSpoken: true };
    case "blocks":
      return afterBlocks(state, event.blocks);
    case "lifecycle":
      return afterLifecycle(state, event.message);
    case "result":
      return afterResult(state, event.result);
    case "skippedResult":
      return endOfTurn(state, event.facts, "lost");
    case "state":
      return afterState(state, event.state);
    case "system":
      return afterSystem(state, event.message, event.nowMs);
    case "silence":
      return afterSilence(state);
    case "noFollowUp":
      return { isFollowUpDue: false };
  }
}

function prompted(
  { open, rests, reported }: LedgerState,
  given: Pick<Prompt, "key" | "uuid" | "name">,
): Changes {
  const isRunning = reported !== undefined && reported !== "idle";
  const phase = given.uuid === undefined && isRunning ? "started" : "queued";
  return {
    open: [...open, { ...given, phase, rests }],
    isFollowUpDue: false,
  };
}

function afterLifecycle(
  state: LedgerState,
  { state: phase, command_uuid: uuid }: CommandLifecycleMessage,
): Changes {
  const isOwn = (one: Prompt) => one.uuid === uuid;
  if (phase === "queued" || !state.open.some(isOwn)) return undefined;
  if (phase !== "started" && phase !== "completed") {
    return settle(state, "takenBack", isOwn);
  }
  return {
    open: state.open.map((one) => isOwn(one) ? { ...one, phase } : one),
  };
}

function afterResult(state: LedgerState, result: ResultMessage): Changes {
  return {
    ...endOfTurn(state, result, "answered"),
    results: state.results + 1,
    lastResult: result,
    hasErrorResult: state.hasErrorResult || Boolean(result.is_error),
  };
}

/** A turn is over; the prompts it was about were answered, or have lost their result. */
function endOfTurn(
  state: LedgerState,
  facts: ResultFacts,
  fate: "answered" | "lost",
): Changes {
  const named = namedPrompts(facts);
  const answers = answeredBy(state, facts, named);
  const settled = settle(state, fate, answers);
  const missed = settle(
    { ...state, ...settled },
    "lost",
    ({ phase }) => phase === "completed",
  );
  return {
    ...settled,
    ...missed,
    settled: new Map([
      ...settled?.settled ?? [],
      ...missed?.settled ?? [],
    ]),
    namesPrompts: state.namesPrompts || named.size > 0,
    rests: state.rests + (state.reported === undefined ? 1 : 0),
    isInTurn: false,
    hasSpoken: false,
    openTools: NO_TOOLS,
    isFollowUpDue: false,
  };
}

/** Picks the prompts that a result answers. */
function answeredBy(
  { open: [oldest], namesPrompts, reported }: LedgerState,
  { origin, is_error: isError }: ResultFacts,
  named: ReadonlySet<unknown>,
): (prompt: Prompt) => boolean {
  const isOldest = (prompt: Prompt) => prompt === oldest;
  // The CLI gives the one without an id an id of its own.
  const isNameless = oldest !== undefined && oldest.uuid === undefined;
  if (named.size > 0) {
    return isNameless ? isOldest : ({ uuid }) => named.has(uuid);
  }
  // CLIs before 2.1.265 report no state, and name no prompt in the result of a slash command.
  const isStarted = reported === undefined && oldest?.phase === "started";
  const isOwnWork = origin?.kind === "task-notification" ||
    namesPrompts && !isError && !isNameless && !isStarted;
  return isOwnWork ? () => false : isOldest;
}

/** Ids of the prompts that a result names; both fields are optional and may hold anything. */
function namedPrompts(
  { user_message_uuid: first, user_message_uuids: all }: ResultFacts,
): ReadonlySet<unknown> {
  const named = new Set<unknown>(asList(all));
  if (first !== undefined) named.add(first);
  return named;
}

function afterState(state: LedgerState, reported: CliState): Changes {
  // An unknown state does not show whether work continues: from here on results decide, as without states.
  if (!STATES.has(reported)) return { reported: undefined };
  if (reported !== "idle") {
    const open = state.open.map((one) =>
      one.uuid === undefined ? { ...one, phase: "started" as const } : one
    );
    return { reported, open, isFollowUpDue: false };
  }
  return {
    ...settle(
      state,
      "lost",
      ({ uuid, phase }) =>
        phase === "completed" || uuid === undefined && phase === "started",
    ),
    reported,
    rests: state.rests + 1,
    isInTurn: false,
    hasSpoken: false,
    openTools: NO_TOOLS,
  };
}

function afterSystem(
  state: LedgerState,
  message: SystemMessage,
  nowMs: number,
): Changes {
  const tasks = tasksAfter(state.tasks, message, nowMs);
  if (tasks === state.tasks) return undefined;
  const isLastOver = tasks.running.length === 0 &&
    state.tasks.running.length > 0;
  return { tasks, isFollowUpDue: state.isFollowUpDue || isLastOver };
}

function afterSilence(state: LedgerState): Changes {
  const { open, reported, isInTurn, rests } = state;
  // All is answered: that it is idle is the one thing it did not say.
  if (open.length === 0) {
    return { reported: reported && "idle", isInTurn: false };
  }
  const isResting = reported === undefined ? !isInTurn : reported === "idle";
  return settle(
    state,
    "lost",
    (prompt) => isResting && prompt.rests < rests,
  );
}

function afterBlocks(
  { openTools }: LedgerState,
  blocks: readonly ToolBlock[],
): Changes {
  const after = new Set(openTools);
  for (const { type, id, tool_use_id: answered } of blocks) {
    if (type === "tool_use" && id !== undefined) after.add(id);
    else if (type === "tool_result" && answered !== undefined) {
      after.delete(answered);
    }
  }
  return { openTools: after };
}

/** Closes the prompts that fit; `undefined` when there are none. */
function settle(
  { open, lost }: LedgerState,
  fate: Fate,
  fits: (prompt: Prompt) => boolean,
): Pick<LedgerState, "open" | "lost" | "settled"> | undefined {
  const closed = open.filter(fits);
  if (closed.length === 0) return undefined;
  const names = fate === "lost" ? closed.map(({ name }) => name) : [];
  return {
    open: open.filter((prompt) => !closed.includes(prompt)),
    lost: [...lost, ...names],
    settled: new Map(closed.map(({ key }) => [key, fate])),
  };
}
