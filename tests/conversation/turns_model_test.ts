import assert from "node:assert/strict";
import { type Turn, Turns } from "../../src/conversation/turns.ts";
import type { JsonObject } from "../../src/types/json.ts";
import type { Message } from "../../src/types/message.ts";
import { test } from "../_harness.ts";
import { pick, randomFrom } from "../options/_random.ts";
import { assistantLine, resultLine, stateLine } from "./_rig.ts";

const RUNS = 3_000;

/** How a CLI tells of its turns. */
interface Habits {
  readonly names: boolean;
  readonly states: boolean;
  readonly lifecycle: boolean;
  /** How tasks are told: as a list, one by one, or not at all. */
  readonly tasks: "list" | "one by one" | "none";
}

/** One prompt, and what the model knows of it. */
interface Prompt {
  readonly turn: Turn;
  fate: "open" | "answered" | "lost" | "taken back";
  result?: Message;
}

/**
 * A model of a CLI that knows the truth: which result answers which prompt. Its lines are fed to the ledger, which has
 * only them; whatever the habits, the two must agree.
 */
class Model {
  readonly turns: Turns;
  readonly prompts: Prompt[] = [];
  readonly #random: () => number;
  readonly #habits: Habits;
  readonly #isRead: boolean;
  #queue: Prompt[] = [];
  #tasks = 0;
  #isRunning = false;
  #unread: Message[] = [];
  readonly handedOut: Message[] = [];

  constructor(random: () => number) {
    this.#random = random;
    this.#habits = {
      names: random() < 0.5,
      states: random() < 0.5,
      lifecycle: random() < 0.5,
      tasks: pick(random, ["list", "one by one", "none"] as const),
    };
    this.#isRead = random() < 0.5;
    this.turns = new Turns({ isReadByTurn: this.#isRead });
    this.turns.ready();
  }

  run(): void {
    const steps = 3 + Math.floor(this.#random() * 25);
    for (let step = 0; step < steps; step++) {
      this.#doOne();
      this.#check();
    }
    this.turns.promptsOver();
    this.#check();
    while (this.#queue.length > 0) {
      this.#runTurn();
      this.#check();
    }
    while (this.#tasks > 0) this.#endTask();
    this.#check();
    const gap = this.turns.giveUp();
    if (gap !== undefined) this.#unread.push(gap);
    this.#read();
    this.#checkEnd();
  }

  #doOne(): void {
    const what = this.#random();
    if (what < 0.35) this.#write();
    else if (what < 0.75) {
      if (this.#queue.length > 0) this.#runTurn();
    } else if (what < 0.8) this.#takeBack();
    else if (what < 0.87) this.#startTask();
    else if (what < 0.94) this.#endTask();
    else this.#read();
  }

  #write(): void {
    const turn = this.turns.prompted(`prompt-${this.prompts.length}`);
    const prompt: Prompt = { turn, fate: "open" };
    this.prompts.push(prompt);
    this.#queue.push(prompt);
  }

  #takeBack(): void {
    const { lifecycle } = this.#habits;
    const prompt = this.#queue.at(-1);
    if (!lifecycle || prompt === undefined) return;
    this.#queue.pop();
    prompt.fate = "taken back";
    this.#life([prompt], "cancelled");
  }

  /** A turn of one prompt, of several, or of one whose result gets lost. */
  #runTurn(): void {
    const { names, states, lifecycle } = this.#habits;
    // Without names and without a word of completion only what is written last can be told to be merged.
    const mayMerge = names || lifecycle;
    const count = mayMerge && this.#random() < 0.4 ? 2 : 1;
    const prompts = this.#queue.splice(0, count);
    this.#begin();
    this.#life(prompts, "started");
    this.#feed(assistantLine("working"));
    const isLost = this.#random() < 0.2;
    const uuids = prompts.map(({ turn }) => String(turn.uuid));
    const line = resultLine(names ? { user_message_uuids: uuids } : {});
    this.#isRunning = false;
    for (const prompt of prompts) prompt.fate = isLost ? "lost" : "answered";
    if (!isLost) {
      for (const prompt of prompts) prompt.result = line as unknown as Message;
      this.#feed(line);
    } else if (!names && prompts.length === 1 || !states && !lifecycle) {
      this.#feed(this.turns.standIn(line) ?? assert.fail("no stand-in"));
    } else if (names && lifecycle && states) {
      // Not a trace of it, but what comes around it.
    } else this.#feed(this.turns.standIn(line) ?? assert.fail("no stand-in"));
    this.#life(prompts, "completed");
    this.#end();
  }

  #begin(): void {
    const { states } = this.#habits;
    this.#isRunning = true;
    if (states) this.#feed(stateLine("running"));
    this.#feed(INIT);
  }

  #end(): void {
    if (this.#habits.states) this.#feed(stateLine("idle"));
  }

  #life(prompts: readonly Prompt[], state: string): void {
    if (!this.#habits.lifecycle) return;
    for (const { turn } of prompts) {
      const uuid = String(turn.uuid);
      const line = { type: "command_lifecycle", command_uuid: uuid, state };
      this.#feed({ ...line, uuid: "u", session_id: "s" });
    }
  }

  #startTask(): void {
    if (this.#habits.tasks === "none") return;
    this.#tasks++;
    this.#tellTasks("task_started", { is_backgrounded: true });
  }

  /** The task ends, and a turn that no prompt began tells the model of it. */
  #endTask(): void {
    if (this.#tasks === 0) return;
    const id = `task-${this.#tasks--}`;
    this.#tellTasks("task_notification", { task_id: id, status: "completed" });
    if (this.#random() < 0.5) return;
    this.#begin();
    const { names } = this.#habits;
    const origin = { kind: "task-notification" };
    // A CLI that names prompts need not say whose work it was.
    const isNamed = names && this.prompts.some(({ result }) => result);
    this.#isRunning = false;
    this.#feed(resultLine(isNamed && this.#random() < 0.5 ? {} : { origin }));
    this.#end();
  }

  #tellTasks(subtype: string, fields: JsonObject): void {
    const base = { type: "system", uuid: "u", session_id: "s" };
    if (this.#habits.tasks === "one by one") {
      this.#feed({
        ...base,
        subtype,
        task_id: `task-${this.#tasks}`,
        description: "",
        ...fields,
      });
      return;
    }
    const tasks = Array.from({ length: this.#tasks }, (_, n) => ({
      task_id: `task-${n + 1}`,
      task_type: "local_bash",
      description: "",
    }));
    this.#feed({ ...base, subtype: "background_tasks_changed", tasks });
  }

  #feed(line: JsonObject): void {
    const message = line as unknown as Message;
    this.#unread.push(...this.turns.see([message]));
  }

  /** Somebody takes what came. */
  #read(): void {
    const batch = this.#unread.splice(0);
    this.handedOut.push(...this.#isRead ? this.turns.handOver(batch) : batch);
  }

  /** stdin is never closed while the CLI may ask. */
  #check(): void {
    const owes = this.#queue.length > 0 || this.#isRunning || this.#tasks > 0;
    if (owes) assert.notEqual(this.turns.stdinWait, "nothing");
    if (this.#queue.length > 0) {
      assert.equal(this.turns.stdinWait, "prompts");
      assert.notEqual(this.turns.isDue, undefined);
    }
  }

  #checkEnd(): void {
    for (const { turn, fate, result } of this.prompts) {
      assert.equal(turn.result, result, `${turn.uuid} is ${fate}`);
      if (!this.#isRead) continue;
      assert.equal(turn.isPassed, true, `${turn.uuid} is passed`);
      if (fate === "answered") assert.equal(turn.last, result);
    }
    assert.deepEqual(
      [...this.turns.unanswered].sort(),
      this.prompts.filter(({ fate }) => fate === "lost")
        .map(({ turn }) => turn.uuid).sort(),
    );
    assert.match(this.turns.stdinWait, /^(nothing|followUp)$/);
    assert.equal(this.turns.isDue, undefined);
    for (const message of this.handedOut) {
      assert.ok(
        !("sdk_host_only" in message) || message.sdk_host_only !== true,
        "what is for the host alone is never handed out",
      );
    }
  }

  /** How it tells of its turns, for a failure. */
  get habits(): string {
    return JSON.stringify(this.#habits);
  }
}

const INIT: JsonObject = {
  type: "system",
  subtype: "init",
  session_id: "s",
  uuid: "u",
};

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

test("one result without a name for prompts that were merged last is shared after a silence, whatever came before", () => {
  for (let count = 2; count < 6; count++) {
    const turns = new Turns({ isReadByTurn: true });
    const prompts = Array.from(
      { length: count },
      (_, n) => turns.prompted(`${n}`),
    );
    const result = resultLine() as unknown as Message;
    turns.handOver(turns.see([result]));
    assert.equal(turns.unanswered.length, count - 1);
    turns.giveUp();
    for (const { result: answer, isPassed } of prompts) {
      assert.equal(answer, result);
      assert.equal(isPassed, true);
    }
    assert.deepEqual(turns.unanswered, []);
  }
});
