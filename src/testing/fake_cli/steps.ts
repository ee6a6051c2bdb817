import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { AnswerStep, FakeStep, WaitStep } from "../fake_cli_script.ts";
import type { StepName } from "./step_forms.ts";
import { flood, say, think } from "./speech.ts";
import { ask, callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";
import type { FakeWire } from "./wire.ts";

/** Kinds of steps by the member that tells them; the first that fits is done. */
export type StepKinds = Readonly<
  Record<string, (wire: FakeWire, step: never, turn: Turn) => unknown>
>;

/** Does the steps one after the other; rejects with `Interrupted` when the turn is interrupted. */
export type RunSteps = (
  wire: FakeWire,
  steps: readonly FakeStep[],
  turn: Turn,
) => Promise<void>;

/** Makes what does steps of these kinds. */
export function stepRunner(kinds: StepKinds): RunSteps {
  return async (wire, steps, turn) => {
    for (const step of steps) {
      turn.signal.throwIfAborted();
      if (typeof step === "string") await say(wire, { say: step }, turn);
      else {
        const [, run] = Object.entries(kinds).find(([name]) => name in step) ??
          [];
        // It is the step that has this member.
        await run?.(wire, step as never, turn);
      }
    }
  };
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
export const STEPS: StepKinds = {
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
  line: (wire, { line }) =>
    wire.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`),
  flood: (wire, step, turn) => flood(wire, step.flood, turn),
  stderr: (wire, step) => wire.writeError(step.stderr),
  result: (_wire, { result }, turn) =>
    turn.result = typeof result === "string" ? { result } : result,
  exit: (wire, step) => wire.exit(step.exit),
} satisfies { readonly [Name in StepName]: Run<Name> };

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
      return events.until(() => wire.waitingPrompts > 0 || undefined, signal);
    case "answers":
      return events.until(() => !wire.isWaitingForHost || undefined, signal);
    case "forever":
      return events.until(() => undefined, signal);
    default:
      return events.take(what, signal);
  }
}
