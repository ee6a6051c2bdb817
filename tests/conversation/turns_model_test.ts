import assert from "node:assert/strict";
import { Meter } from "../../src/observe/metrics.ts";
import { closeStdinWhenOver } from "../../src/conversation/stdin.ts";
import { Timeouts } from "../../src/conversation/timeouts.ts";
import {
  dueSign,
  isRunning,
  isWaiting,
  queued,
  type StdinWait,
  stdinWait,
  unanswered,
  type Work,
  work,
} from "../../src/conversation/work.ts";
import type { Turn } from "../../src/conversation/turn_ends.ts";
import { Turns } from "../../src/conversation/turns.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { JsonObject, Message } from "@sluice/agent";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { assistantLine, INIT, resultLine, stateLine } from "./_rig.ts";

const RUNS = 2_500;
const SETTINGS = resolveOptions();

/** How a CLI tells of its turns. */
interface Habits {
  /** Whether a result names the prompts that it answers. */
  readonly names: boolean;
  readonly states: boolean;
  readonly lifecycle: boolean;
  /** Reports of tasks: as a list, one by one, or none. */
  readonly tasks: "list" | "one by one" | "none";
  /** Whether its one prompt has no id. */
  readonly isNameless: boolean;
}

/** One prompt, and what the model knows of it. */
interface Prompt {
  readonly turn: Turn;
  readonly name: string;
  /** How often the CLI had rested when it was written. */
  readonly rests: number;
  fate: "open" | "answered" | "lost" | "taken back" | "unsent";
  result?: Message;
  isTaken: boolean;
  /** Whether the CLI says that it has begun with it. */
  isBegun: boolean;
}

/**
 * A model of a CLI that knows the truth: which result answers which prompt, whether it works, what runs in the
 * background. Its lines are fed to the ledger, which has only them; whatever the habits, after each line the two agree.
 */
class Model {
  readonly turns: Turns;
  readonly #random: () => number;
  readonly #habits: Habits;
  readonly #isReadByTurn: boolean;
  readonly #prompts: Prompt[] = [];
  /** Those that it has not begun with. */
  readonly #queue: Prompt[] = [];
  /** Functions that close stdin after a while, by their milliseconds. */
  readonly #waits = new Map<number, () => void>();
  #unread: Message[] = [];
  readonly #handedOut: Message[] = [];
  #tasks = 0;
  #isReady = false;
  #isPromptOver = false;
  #isClosed = false;
  /** Whether only the next idle shows that a result was lost. */
  #isVagueUntilIdle = false;
  #hasBegun = false;
  #hasSpoken = false;
  #hasOpenTool = false;
  #isFollowUpDue = false;
  #hasNamed = false;
  #state: string | undefined;
  #rests = 0;
  /** Results so far. */
  readonly #results: Message[] = [];
  #hasErrorResult = false;
  #session = "s";
  #toldSession: string | undefined;
  #standIn: JsonObject | undefined;
  readonly #timeouts: Timeouts;

  constructor(random: () => number) {
    this.#random = random;
    this.#habits = {
      names: this.#is(0.6),
      states: this.#is(0.5),
      lifecycle: this.#is(0.5),
      tasks: pick(random, ["list", "one by one", "none"] as const),
      isNameless: this.#is(0.15),
    };
    this.#isReadByTurn = this.#is(0.5);
    this.turns = new Turns({ isReadByTurn: this.#isReadByTurn });
    const add = (ms: number, onPass: () => void) => {
      this.#waits.set(ms, onPass);
      return { at: ms, cancel: () => void this.#waits.delete(ms) };
    };
    const { turns } = this;
    this.#timeouts = new Timeouts(SETTINGS, { add });
    closeStdinWhenOver({
      settings: SETTINGS,
      timeouts: this.#timeouts,
      meter: new Meter(),
      turns,
      outbox: {
        end: () => {
          this.#isClosed = true;
          return Promise.resolve();
        },
      },
    });
  }

  run(): void {
    this.#check();
    const steps = 3 + Math.floor(this.#random() * 25);
    const readyAt = Math.floor(this.#random() * 3);
    for (let step = 0; step < steps && !this.#isClosed; step++) {
      if (step === readyAt) this.#ready();
      this.#doOne();
    }
    if (!this.#isReady) this.#ready();
    if (!this.#isPromptOver) this.#endPrompts();
    while (this.#queue.length > 0) this.#runTurn();
    while (this.#tasks > 0) this.#endTask();
    this.#silence();
    this.#read();
    this.#checkEnd();
  }

  #doOne(): void {
    const what = this.#random();
    if (what < 0.33) this.#write();
    else if (what < 0.68) {
      if (this.#queue.length > 0) this.#runTurn();
    } else if (what < 0.73) this.#takeBack();
    else if (what < 0.8) this.#startTask();
    else if (what < 0.87) this.#endTask();
    else if (what < 0.89) this.#endPrompts();
    else if (what < 0.91) this.#pass();
    else if (what < 0.93) this.#silence();
    else if (what < 0.96) this.#take();
    else this.#read();
  }

  #is(share: number): boolean {
    return this.#random() < share;
  }

  #ready(): void {
    this.#isReady = true;
    this.turns.note({ kind: "ready" });
    this.#check();
  }

  #endPrompts(): void {
    this.#isPromptOver = true;
    this.turns.note({ kind: "inputEnded" });
    this.#check();
  }

  #write(): void {
    const count = this.#prompts.length;
    const { isNameless } = this.#habits;
    // Turns that the CLI begins would be taken for that of a prompt without a name.
    if (this.#isPromptOver || isNameless && count + this.#tasks > 0) return;
    const name = `prompt-${count}`;
    const prompt: Prompt = {
      turn: this.turns.prompted({
        uuid: isNameless ? undefined : name,
        name,
      }),
      name,
      rests: this.#rests,
      fate: "open",
      isTaken: false,
      isBegun: false,
    };
    this.#prompts.push(prompt);
    this.#isFollowUpDue = false;
    this.#check();
    if (this.#is(0.9)) return void this.#queue.push(prompt);
    prompt.fate = "unsent";
    this.turns.unsent(prompt.turn);
    this.#check();
  }

  #takeBack(): void {
    const { lifecycle, isNameless } = this.#habits;
    const prompt = this.#queue.at(-1);
    if (!lifecycle || isNameless || prompt === undefined) return;
    this.#queue.pop();
    prompt.fate = "taken back";
    this.#life([prompt], "cancelled");
  }

  /** A turn of one prompt, of several, or of one whose result gets lost. */
  #runTurn(): void {
    const { names } = this.#habits;
    // One that names no prompts answers them one by one.
    const prompts = this.#queue.splice(0, names && this.#is(0.4) ? 2 : 1);
    this.#begin();
    this.#life(prompts, "started");
    this.#work();
    if (this.#is(0.2)) this.#loseResult(prompts);
    else this.#answer(prompts);
    this.#speakLate();
    this.#life(prompts, "completed");
    this.#end();
  }

  #answer(prompts: readonly Prompt[]): void {
    const { names } = this.#habits;
    const isError = this.#is(0.1);
    // An error without a name is of the oldest.
    const isUnnamed = isError && prompts.length === 1 && this.#is(0.5);
    const line = resultLine({
      ...isError && { is_error: true },
      ...!isUnnamed && this.#namesOf(prompts),
    });
    if (names && !isUnnamed) this.#hasNamed = true;
    const result = line as unknown as Message;
    for (const prompt of prompts) {
      prompt.fate = "answered";
      prompt.result = result;
    }
    this.#sawResult(result, isError);
    this.#feed(line);
  }

  #namesOf(prompts: readonly Prompt[]): JsonObject {
    if (!this.#habits.names) return {};
    const uuids = prompts.map(({ turn }) => turn.uuid ?? "unknown");
    return { user_message_uuids: uuids };
  }

  /** The result of a turn never comes: something tells of that, or what comes around it does. */
  #loseResult(prompts: readonly Prompt[]): void {
    const { names, states, lifecycle, isNameless } = this.#habits;
    for (const prompt of prompts) prompt.fate = "lost";
    const isDoneTold = states && (lifecycle || isNameless);
    // Without a trace.
    if (isDoneTold && this.#is(0.5)) this.#isVagueUntilIdle = true;
    else {
      if (names) this.#hasNamed = true;
      const line = resultLine(this.#namesOf(prompts));
      const standIn = this.turns.standIn(line) ?? assert.fail("no stand-in");
      this.#endOfTurn();
      this.#feed(this.#standIn = standIn);
    }
  }

  #begin(): void {
    if (this.#habits.states) this.#tellState("running");
    if (this.#is(0.8)) {
      this.#hasBegun = true;
      this.#isFollowUpDue = false;
      this.#feed(INIT);
    } else this.#speak();
  }

  /** Messages within a turn. */
  #work(): void {
    if (this.#is(0.1)) this.#session += "+";
    this.#speak();
    if (this.#is(0.7)) return;
    this.#hasOpenTool = true;
    this.#feed(blocksLine("assistant", { type: "tool_use", id: "t" }));
    if (this.#habits.states && this.#is(0.5)) {
      this.#tellState("requires_action");
      this.#tellState("running");
    }
    // A tool may be left open.
    if (this.#is(0.2)) return;
    this.#hasOpenTool = false;
    this.#feed(blocksLine("user", { type: "tool_result", tool_use_id: "t" }));
  }

  #speak(): void {
    this.#hasBegun = this.#hasSpoken = true;
    this.#isFollowUpDue = false;
    this.#feed(this.#is(0.5) ? assistantLine("working") : DELTA);
  }

  /** Others in the background speak at any time, and what was kept is parsed when it is taken. */
  #speakLate(): void {
    if (this.#is(0.3)) {
      this.#feed({ ...assistantLine("child"), parent_tool_use_id: "t" });
    }
    if (this.#is(0.3)) this.#feed(assistantLine("kept"), true);
    // The tools of a turn that is over are over as well.
    if (this.#is(0.2)) {
      this.#feed(blocksLine("assistant", { type: "tool_use", id: "k" }), true);
    }
  }

  #end(): void {
    if (!this.#habits.states) return;
    // That it is idle may go unsaid, where that is all it owes.
    if (!this.#isVagueUntilIdle && this.#is(0.05)) this.#silence();
    else this.#tellState("idle");
  }

  #tellState(state: string): void {
    this.#state = state;
    if (state === "idle") {
      this.#rests++;
      this.#hasBegun = this.#hasSpoken = this.#hasOpenTool = false;
      this.#isVagueUntilIdle = false;
    } else {
      this.#isFollowUpDue = false;
    }
    this.#feed(stateLine(state));
  }

  #endOfTurn(): void {
    if (this.#state === undefined) this.#rests++;
    this.#hasBegun = this.#hasSpoken = this.#hasOpenTool = false;
    this.#isFollowUpDue = false;
  }

  #sawResult(result: Message, isError = false): void {
    this.#endOfTurn();
    this.#results.push(result);
    if (isError) this.#hasErrorResult = true;
  }

  #life(prompts: readonly Prompt[], state: string): void {
    const { lifecycle, isNameless } = this.#habits;
    if (!lifecycle || isNameless) return;
    for (const prompt of prompts) {
      const uuid = String(prompt.turn.uuid);
      prompt.isBegun ||= state === "started";
      const line = { type: "command_lifecycle", command_uuid: uuid, state };
      this.#feed({ ...line, uuid: "u" });
    }
  }

  #startTask(): void {
    const { tasks, isNameless } = this.#habits;
    if (tasks === "none" || isNameless && this.#queue.length > 0) return;
    // One in the foreground is part of its turn.
    this.#feed({ ...TASK, task_id: "foreground", is_backgrounded: false });
    this.#tasks++;
    this.#tellTasks("task_started", { is_backgrounded: true });
  }

  /** The task ends, and a turn that no prompt began tells the model of it. */
  #endTask(): void {
    if (this.#tasks === 0) return;
    const id = `task-${this.#tasks--}`;
    if (this.#tasks === 0) this.#isFollowUpDue = true;
    const isTold = this.#is(0.5);
    const ended = { task_id: id, status: "completed" };
    if (isTold) this.#tellTasks("task_notification", ended);
    else this.#tellTasks("task_updated", { ...ended, patch: ended });
    if (this.#is(0.5)) return;
    this.#begin();
    this.#work();
    const origin = { kind: "task-notification" };
    // A CLI that names prompts need not say whose work it was.
    const line = resultLine(this.#hasNamed && this.#is(0.5) ? {} : { origin });
    this.#sawResult(line as unknown as Message);
    this.#feed(line);
    this.#end();
  }

  #tellTasks(subtype: string, fields: JsonObject): void {
    const base = { type: "system", uuid: "u" };
    const task_id = `task-${this.#tasks}`;
    const told = { ...base, subtype, task_id, ...fields };
    if (this.#habits.tasks === "one by one") return this.#feed(told);
    const tasks = Array.from({ length: this.#tasks }, (_, n) => ({
      task_id: `task-${n + 1}`,
      task_type: "local_bash",
      description: "",
    }));
    this.#feed({ ...base, subtype: "background_tasks_changed", tasks });
  }

  /** The CLI says nothing for too long: what was written before it was idle, or answered, is given up. */
  #silence(): void {
    const isResting = this.#state === undefined
      ? !this.#hasBegun
      : this.#state === "idle";
    const late = this.#queue.filter(({ rests }) =>
      isResting && rests < this.#rests
    );
    for (const prompt of late) {
      prompt.fate = "lost";
      this.#queue.splice(this.#queue.indexOf(prompt), 1);
    }
    if (late.length === 0 && this.#open.length === 0) {
      if (this.#state !== undefined) this.#state = "idle";
      this.#hasBegun = false;
    }
    const gap = this.turns.giveUp();
    const isTold = late.length > 0 && this.#isReadByTurn;
    assert.equal(
      gap !== undefined,
      isTold,
      "a gap is reported to a reader by turn",
    );
    if (gap !== undefined) this.#unread.push(gap);
    this.#check();
  }

  /** A wait for something in the background is over. */
  #pass(): void {
    for (const [ms, onPass] of this.#waits) {
      this.#waits.delete(ms);
      if (this.#goesOn === "followUp") this.#isFollowUpDue = false;
      onPass();
      assert.equal(this.#isClosed, this.#isReady && this.#isPromptOver);
    }
    this.#check();
  }

  #feed(line: JsonObject, isLate = false): void {
    const { type, subtype } = line;
    if (type === "stream_event") this.#toldSession ??= this.#session;
    else if (subtype !== "session_state_changed") {
      this.#toldSession = this.#session;
    }
    // A result is known by its identity.
    const given = Object.assign(type === "result" ? line : { ...line }, {
      session_id: this.#session,
    });
    const message = (this.#standIn === line ? line : given) as unknown;
    this.#unread.push(...this.turns.see([message as Message], isLate));
    this.#check();
  }

  /** A consumer takes the unread messages. */
  #read(): void {
    const batch = this.#unread.splice(0);
    if (!this.#isReadByTurn) return void this.#handedOut.push(...batch);
    const messages = this.turns.handOver(batch);
    this.#handedOut.push(...messages);
    if (this.#is(0.7)) return;
    this.turns.ends.markRead(messages);
    for (const prompt of this.#prompts) {
      const { result } = prompt;
      if (result && messages.includes(result)) prompt.isTaken = true;
    }
  }

  /** A consumer asks for the turn of a prompt: the oldest unread one, or one by its id. */
  #take(): void {
    if (!this.#isReadByTurn) return;
    const left = this.#prompts.filter(({ isTaken }) => !isTaken);
    const byId = left.length > 0 && this.#is(0.5)
      ? pick(this.#random, left)
      : undefined;
    const uuid = byId?.turn.uuid;
    const expected = uuid === undefined ? left[0] : byId;
    assert.equal(this.turns.ends.take(uuid), expected?.turn, "takes its turn");
    if (expected !== undefined) expected.isTaken = true;
    this.#check();
  }

  get #open(): readonly Prompt[] {
    return this.#prompts.filter(({ fate }) => fate === "open");
  }

  get #isRunning(): boolean {
    const open = this.#open;
    if (this.#state === undefined) return this.#hasBegun || open.length > 0;
    return this.#state !== "idle" ||
      open.some(({ rests }) => rests === this.#rests);
  }

  /** Between turns it may say that it is running while tasks do. */
  get #goesOn(): Work {
    const isBetween = this.#state === "running" && this.#tasks > 0 &&
      !this.#hasBegun;
    return this.#open.length > 0 || this.#isRunning && !isBetween
      ? "turn"
      : this.#background;
  }

  get #background(): Exclude<Work, "turn"> {
    if (this.#tasks > 0) return "tasks";
    return this.#isFollowUpDue ? "followUp" : "nothing";
  }

  get #stdinWait(): StdinWait {
    const isOver = this.#isReady && this.#isPromptOver &&
      this.#open.length === 0 && !this.#isRunning;
    return isOver ? this.#background : "prompts";
  }

  /** Which prompts wait behind another: the CLI knows, and may tell. */
  get #queued(): number {
    const open = this.#open;
    const begun = open.filter(({ isBegun }) => isBegun).length;
    return open.length === 0 ? 0 : open.length - Math.max(begun, 1);
  }

  get #isDue(): string | undefined {
    if (this.#isClosed) return this.#tasks > 0 ? "tasks" : "exit";
    if (!this.#isRunning && this.#open.length === 0) return undefined;
    return this.#hasOpenTool && this.#isRunning &&
        this.#state !== "requires_action"
      ? "tool"
      : "silence";
  }

  #check(): void {
    const { turns } = this;
    const { state } = turns;
    assert.equal(state.results, this.#results.length, "results");
    assert.equal(state.hasErrorResult, this.#hasErrorResult, "error results");
    assert.equal(turns.answered.isSettled, this.#results.length > 0);
    assert.equal(state.hasSpoken, this.#hasSpoken, "has spoken");
    if (this.#isVagueUntilIdle) return;
    assert.equal(stdinWait(state), this.#stdinWait, "the wait of stdin");
    assert.equal(work(state), this.#goesOn, "running work");
    assert.equal(queued(state), this.#queued, "prompts that wait");
    assert.equal(isRunning(state), this.#isRunning, "a turn runs");
    assert.equal(dueSign(state), this.#isDue, "the sign of life due");
    assert.equal(
      isWaiting(state),
      this.#state === "requires_action" ||
        this.#isRunning && this.#hasOpenTool,
      "it waits",
    );
    assert.deepEqual(
      state.tasks.running.map(({ id }) => id).sort(),
      this.#habits.tasks === "none"
        ? []
        : Array.from({ length: this.#tasks }, (_, n) => `task-${n + 1}`).sort(),
      "tasks",
    );
    this.#checkStdin();
    assert.deepEqual(
      [...unanswered(state)].sort(),
      this.#prompts.filter(({ fate }) => fate === "open" || fate === "lost")
        .map(({ name }) => name).sort(),
    );
  }

  /** It is closed when it waits for nothing, and after this time for events that may never come. */
  #checkStdin(): void {
    const wait = this.#stdinWait;
    if (wait === "nothing") assert.equal(this.#isClosed, true, "closed");
    if (this.#isClosed) return;
    const bounded = this.#goesOn === "followUp" ? "followUp" : wait;
    const isBounded = bounded === "tasks" || bounded === "followUp";
    const limits = isBounded ? [this.#timeouts.ms(bounded)] : [];
    assert.deepEqual([...this.#waits.keys()], limits, `waits for ${bounded}`);
  }

  #checkEnd(): void {
    const { turns } = this;
    for (const { turn, fate, result } of this.#prompts) {
      assert.equal(turn.result, result, `${turn.uuid} is ${fate}`);
      if (!this.#isReadByTurn) continue;
      assert.equal(turn.isPassed, true, `${turn.uuid} is passed`);
      if (fate === "answered") assert.equal(turn.last, result);
    }
    assert.equal(turns.state.lastResult, this.#results.at(-1));
    assert.equal(turns.sessionId, this.#toldSession);
    for (const message of this.#handedOut) {
      assert.ok(
        !("sdk_host_only" in message) || message.sdk_host_only !== true,
        "host-only messages are never delivered",
      );
    }
    if (!this.#isReadByTurn) return;
    for (const prompt of this.#prompts) {
      if (prompt.isTaken) continue;
      assert.equal(turns.ends.take(), prompt.turn, "is there to be read");
    }
    assert.equal(turns.ends.take(), undefined);
  }

  /** How it tells of its turns, for a failure. */
  get habits(): string {
    return JSON.stringify(this.#habits);
  }
}

const DELTA: JsonObject = {
  type: "stream_event",
  event: { type: "message_stop" },
  parent_tool_use_id: null,
  uuid: "u",
};

const TASK: JsonObject = {
  type: "system",
  subtype: "task_started",
  description: "",
  uuid: "u",
};

function blocksLine(type: string, block: JsonObject): JsonObject {
  const line = assistantLine("");
  const message = { ...line.message as JsonObject, content: [block] };
  return { ...line, type, message };
}

test(`the ledger agrees with a model of the CLI in ${RUNS} random runs`, () => {
  for (let seed = 0; seed < RUNS; seed++) {
    const model = new Model(randomFrom(seed));
    try {
      model.run();
    } catch (error) {
      throw new Error(`Failed with seed ${seed}: ${model.habits}`, {
        cause: error,
      });
    }
  }
});
