import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { JsonObject } from "../../types/json.ts";
import type { AnswerStep, FakeStep, WaitStep } from "../fake_cli_script.ts";
import type { StepName } from "./step_forms.ts";
import { flood, say, think } from "./speech.ts";
import { ask, callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";
import type { FakeWire } from "./wire.ts";

/** Does the steps one after the other; rejects with `Interrupted` when the turn is interrupted. */
export async function runSteps(
  wire: FakeWire,
  steps: readonly FakeStep[],
  turn: Turn,
): Promise<void> {
  for (const step of steps) {
    turn.signal.throwIfAborted();
    if (typeof step === "string") await say(wire, { say: step }, turn);
    else {
      // It is the step that has this member.
      const run = STEPS[nameOf(step) ?? "parallel"] as (
        wire: FakeWire,
        step: FakeStep,
        turn: Turn,
      ) => unknown;
      await run(wire, step, turn);
    }
  }
}

/** A step that is no text. */
type NamedStep = Exclude<FakeStep, string>;

/** Does one kind of step. */
type Run<Name> = (
  wire: FakeWire,
  step: Extract<NamedStep, { readonly [name in Name & string]: unknown }>,
  turn: Turn,
) => unknown;

/** The steps by the member that tells them; `tool` and `wait` come after those that may have one as well. */
const STEPS: { readonly [Name in StepName]: Run<Name> } = {
  say,
  text: answer,
  think,
  ask,
  hook: (wire, step, turn) => answered(wire, callHooks(wire, step), step, turn),
  tool: (wire, step, turn) => useTools(wire, [step], turn),
  mcp: (wire, step, turn) =>
    answered(wire, wire.rpc(step.mcp, step.id), step, turn),
  request: (wire, step, turn) =>
    answered(wire, wire.request(step.request, step.id), step, turn),
  cancel: (wire, step) => wire.cancel(step.cancel),
  wait: (wire, step, turn) => wait(wire, step.wait, turn.signal),
  message: (wire, step) => wire.send(step.message),
  line: (wire, step, turn) => sendLine(wire, step, turn.signal),
  bytes: (wire, step) => wire.write(toBytes(step.bytes)),
  flood: (wire, step, turn) => flood(wire, step.flood, turn),
  stderr: (wire, step) => wire.writeError(step.stderr.repeat(step.times ?? 1)),
  result: (_wire, step, turn) => setResult(step.result, turn),
  state: (wire, step) => wire.setState(step.state),
  close: (wire, step) => wire.close(step.close),
  exit: (wire, step) => wire.exit(step.exit),
  kill: (wire, step) => wire.kill(step.kill),
  async repeat(wire, step, turn) {
    for (let round = 0; round < step.repeat; round++) {
      await runSteps(wire, step.steps, turn);
    }
  },
  parallel: (wire, step, turn) =>
    Promise.all(step.parallel.map((steps) => runSteps(wire, steps, turn))),
};

/** What steps may be called by. */
export const STEP_NAMES: readonly StepName[] = Object.keys(
  STEPS,
) as StepName[];

/** Which step it is; `undefined` when it is none. */
export function nameOf(step: object): StepName | undefined {
  return STEP_NAMES.find((name) => name in step);
}

async function answer(
  wire: FakeWire,
  { thinking, text, tool, input, tools = [], ...pace }: AnswerStep,
  turn: Turn,
): Promise<void> {
  if (thinking !== undefined) await think(wire, { think: thinking }, turn);
  await say(wire, { say: text, ...pace }, turn);
  await useTools(wire, [
    ...(tool === undefined ? [] : [{ tool, input }]),
    ...tools.map(({ name, input, id }) => ({
      tool: name,
      input,
      toolUseId: id,
    })),
  ], turn);
}

async function answered(
  wire: FakeWire,
  answer: Promise<unknown>,
  step: { readonly wait?: boolean | undefined },
  turn: Turn,
): Promise<void> {
  if (step.wait !== false) await unlessAborted(answer, turn.signal);
  else answer.then(() => wire.events.happened("answer"));
}

function wait(
  wire: FakeWire,
  what: WaitStep["wait"],
  signal: AbortSignal,
): Promise<unknown> {
  const { events } = wire;
  if (typeof what === "number") return systemClock.sleep(what, signal);
  if (typeof what === "object") {
    return events.take(`control:${what.control}`, signal);
  }
  switch (what) {
    case "prompt":
      return events.until(() => wire.waitingPrompts > 0, signal);
    case "answers":
      return events.until(() => !wire.isWaitingForHost, signal);
    case "forever":
      return events.until(() => false, signal);
    default:
      return events.take(what, signal);
  }
}

async function sendLine(
  wire: FakeWire,
  { line, pieces = 1, delayMs = 1 }: Extract<FakeStep, { line: unknown }>,
  signal: AbortSignal,
): Promise<void> {
  const text = typeof line === "string" ? line : JSON.stringify(line);
  const bytes = new TextEncoder().encode(`${text}\n`);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await systemClock.sleep(delayMs, signal);
    await wire.write(bytes.subarray(at, at + size));
  }
}

function setResult(result: string | JsonObject | false, turn: Turn): void {
  turn.result = typeof result === "string" ? { result } : result;
}

function toBytes(bytes: Uint8Array | string): Uint8Array {
  if (typeof bytes !== "string") return bytes;
  return Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
}
