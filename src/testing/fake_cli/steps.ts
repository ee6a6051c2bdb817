import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { AnswerStep, FakeStep, WaitStep } from "../fake_cli_script.ts";
import type { StepName } from "./step_forms.ts";
import { flood, say, think } from "./speech.ts";
import { ask, callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";

/** Kinds of steps by the member that tells them; the first that fits is done. */
export type StepKinds = Readonly<
  Record<string, (step: never, turn: Turn) => unknown>
>;

/** Does the steps one after the other; rejects with `Interrupted` when the turn is interrupted. */
export type RunSteps = (
  steps: readonly FakeStep[],
  turn: Turn,
) => Promise<void>;

/** Makes what does steps of these kinds. */
export function stepRunner(kinds: StepKinds): RunSteps {
  return async (steps, turn) => {
    for (const step of steps) {
      turn.signal.throwIfAborted();
      if (typeof step === "string") await say({ say: step }, turn);
      else {
        const [, run] = Object.entries(kinds).find(([name]) => name in step) ??
          [];
        // It is the step that has this member.
        await run?.(step as never, turn);
      }
    }
  };
}

/** A step that is no text. */
type NamedStep = Exclude<FakeStep, string>;

/** Does one kind of step. */
type Run<Name> = (
  step: Extract<NamedStep, { readonly [name in Name & string]: unknown }>,
  turn: Turn,
) => unknown;

/** The steps by the member that tells them; `tool` and `wait` come after those that may have one as well. */
export const STEPS: StepKinds = {
  say,
  text: answer,
  think,
  ask,
  hook: (step, turn) => answered(callHooks(turn, step), step, turn),
  tool: (step, turn) => useTools([step], turn),
  mcp: (step, turn) => answered(turn.wire.rpc(step.mcp, step.id), step, turn),
  request: (step, turn) =>
    answered(turn.wire.request(step.request, step.id), step, turn),
  cancel: (step, { wire }) => wire.cancel(step.cancel),
  wait: (step, turn) => wait(step.wait, turn),
  message: (step, { wire }) => wire.send(step.message),
  line: ({ line }, { wire }) =>
    wire.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`),
  flood: (step, turn) => flood(step.flood, turn),
  stderr: (step, { wire }) => wire.writeError(step.stderr),
  result: ({ result }, turn) =>
    turn.result = typeof result === "string" ? { result } : result,
  exit: (step, { wire }) => wire.exit(step.exit),
} satisfies { readonly [Name in StepName]: Run<Name> };

async function answer(
  { thinking, text, tool, input, tools = [], ...pace }: AnswerStep,
  turn: Turn,
): Promise<void> {
  if (thinking !== undefined) await think({ think: thinking }, turn);
  await say({ say: text, ...pace }, turn);
  await useTools([
    ...(tool === undefined ? [] : [{ tool, input }]),
    ...tools.map(({ name, input, id }) => ({
      tool: name,
      input,
      toolUseId: id,
    })),
  ], turn);
}

async function answered(
  answer: Promise<unknown>,
  step: { readonly wait?: boolean | undefined },
  turn: Turn,
): Promise<void> {
  if (step.wait !== false) await unlessAborted(answer, turn.signal);
  else answer.then(() => turn.wire.events.happened("answer"));
}

function wait(
  what: WaitStep["wait"],
  { signal, wire }: Turn,
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
