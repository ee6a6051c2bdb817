import { cut } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import type {
  FakeStep,
  FakeTurn,
  SavedPattern,
  SavedPlan,
} from "../fake_cli_script.ts";
import { fieldOf, textIn } from "../lines.ts";
import { initLine, userLine } from "./lines.ts";
import { resultLine, type Totals } from "./result_line.ts";
import { runSteps, type StepKinds } from "./steps.ts";
import { Interrupted, Turn } from "./turn.ts";
import type { FakeWire } from "./wire.ts";

/** The turns of a session, one after the other. */
export interface Turns {
  /** Queues a prompt. */
  add(prompt: JsonObject): void;
  /** Begins the next turn if it can; exits when there is nothing left to do. */
  next(): void;
  /** Begins no turn until {@link Turns.release}, as at first. */
  hold(): void;
  release(): void;
  interrupt(): void;
}

/** Plays the turns of a plan; `watch` learns of errors in them. */
export function makeTurns(
  wire: FakeWire,
  plan: SavedPlan,
  kinds: StepKinds,
  watch: (work: Promise<unknown>) => void,
): Turns {
  const { context } = wire;
  const queue: JsonObject[] = [];
  let isHeld = true;
  let current: Turn | undefined;
  let turnsBegun = 0;
  let totals: Totals = { results: 0, messages: 0, usd: 0 };
  let lastIsError = false;
  return {
    add(prompt) {
      queue.push(prompt);
      const uuids = uuidsOf([prompt]);
      if (uuids.length > 0) wire.setState("running");
      report("queued", uuids);
      countPrompts();
      next();
    },
    next,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      next();
    },
    interrupt: () => current?.interrupt(),
  };

  function next(): void {
    if (isHeld || current !== undefined) return;
    const { mergePrompts, onStdinEnd, exitCode } = plan;
    const prompts = queue.splice(0, mergePrompts ? queue.length : 1);
    countPrompts();
    if (prompts.length > 0) watch(run(prompts));
    else if (wire.hasInputEnded && onStdinEnd !== "ignore") {
      void wire.exit(exitCode ?? (lastIsError ? 1 : 0));
    }
  }

  async function run(prompts: readonly JsonObject[]): Promise<void> {
    const uuids = uuidsOf(prompts);
    const turn = current = new Turn(wire, uuids);
    wire.setState("running");
    report("started", uuids);
    const { init = {} } = plan;
    if (init !== false) {
      void wire.send({ ...initLine(context, uuids), ...init });
    }
    for (const { message, uuid } of context.isReplaying ? prompts : []) {
      void wire.send({
        type: "user",
        message,
        parent_tool_use_id: null,
        timestamp: new Date().toISOString(),
        isReplay: true,
        uuid,
      });
    }
    try {
      await runSteps(stepsFor(prompts), turn, kinds);
    } catch (error) {
      if (!(error instanceof Interrupted)) throw error;
      abort(turn, error);
    }
    if (turn.result !== false) await sendResult(turn, turn.result);
    report("completed", uuids);
    current = undefined;
    if (queue.length === 0) wire.setState("idle");
    next();
  }

  async function sendResult(turn: Turn, given?: JsonObject): Promise<void> {
    const line = resultLine(turn, totals, { ...plan.result, ...given });
    totals = {
      results: totals.results + 1,
      messages: totals.messages + turn.messages,
      usd: Number(line["total_cost_usd"]),
    };
    lastIsError = line["is_error"] === true;
    await wire.send(line);
  }

  /** The turn that matches the prompt, else the next in the list. */
  function stepsFor(prompts: readonly JsonObject[]): readonly FakeStep[] {
    const text = prompts
      .map(({ message }) => textIn(fieldOf(message, "content"))).join("\n");
    const { turn = nextTurn(text) } = plan.match
      ?.find(({ prompt }) => isMatch(text, prompt)) ?? {};
    return isList(turn) ? turn : [turn];
  }

  function nextTurn(text: string): FakeTurn {
    const { match, turns = match === undefined ? "ok" : [] } = plan;
    if (!isList(turns)) return turns;
    const index = turnsBegun++;
    const prompt = `prompt ${index + 1}, ${JSON.stringify(cut(text, 60))}`;
    const misfit = match === undefined ? "" : ` no "match" fits, and`;
    const result =
      `Fake CLI has no turn for ${prompt}:${misfit} its script has ${turns.length} in "turns"`;
    return turns[index] ?? { result: { is_error: true, result } };
  }

  function abort(turn: Turn, { forTool }: Interrupted): void {
    wire.cancel(true);
    turn.failure = forTool ? "aborted_tools" : "aborted_streaming";
    const suffix = forTool ? " for tool use" : "";
    const text = `[Request interrupted by user${suffix}]`;
    void wire.send(userLine({ type: "text", text }, {}));
  }

  function report(state: string, uuids: readonly string[]): void {
    for (const command_uuid of uuids) {
      void wire.send({ type: "command_lifecycle", command_uuid, state });
    }
  }

  function countPrompts(): void {
    wire.waitingPrompts = queue.length;
    wire.events.stir();
  }
}

function uuidsOf(prompts: readonly JsonObject[]): readonly string[] {
  return prompts.map(({ uuid }) => uuid)
    .filter((uuid) => typeof uuid === "string");
}

function isMatch(text: string, prompt: string | SavedPattern): boolean {
  if (typeof prompt === "string") return text.includes(prompt);
  return new RegExp(prompt.source, prompt.flags).test(text);
}

function isList<T>(value: T): value is Extract<T, readonly unknown[]> {
  return Array.isArray(value);
}
