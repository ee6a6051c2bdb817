import { systemClock } from "../../async/system_clock.ts";
import type {
  AnswerStep,
  FakeStep,
  StepName,
  WaitStep,
} from "../fake_cli_script.ts";
import { callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";
import type { FakeWire } from "./wire.ts";

/** Kinds of steps by the member that identifies them; the first that fits runs. */
export type StepKinds = Readonly<
  Record<string, (step: never, turn: Turn) => unknown>
>;

/** Runs steps in order; rejects with `Interrupted` when the turn is interrupted. */
export async function runSteps(
  steps: readonly FakeStep[],
  turn: Turn,
  kinds: StepKinds,
): Promise<void> {
  for (const step of steps) {
    turn.signal.throwIfAborted();
    if (typeof step === "string") await answer({ text: step }, turn);
    else {
      const [, run] = Object.entries(kinds).find(([name]) => name in step) ??
        [];
      if (run === undefined) {
        throw new Error(`Fake CLI has no step ${Object.keys(step)}`);
      }
      // The step has this member, so it is of this kind.
      await run(step as never, turn);
    }
  }
}

type Run<Name> = (
  step: Extract<
    Exclude<FakeStep, string>,
    { readonly [name in Name & string]: unknown }
  >,
  turn: Turn,
) => unknown;

/** `tool` and `wait` come after the kinds that may have one as well. */
export const STEPS: StepKinds = {
  say: ({ say: text, ...pace }, turn) => answer({ text, ...pace }, turn),
  text: answer,
  think: ({ think: thinking }, turn) => answer({ thinking }, turn),
  hook: (step, turn) => answered(callHooks(turn, step), step),
  tool: (step, turn) => useTools([step], turn),
  request: (step, turn) => answered(turn.request(step.request, step.id), step),
  cancel: (step, { wire }) => wire.cancel(step.cancel),
  wait: (step, turn) => wait(step.wait, turn),
  message: (step, { wire }) => wire.send(step.message),
  line: ({ line }, { wire }) =>
    wire.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`),
  stderr: (step, { wire }) => wire.writeError(step.stderr),
  result: ({ result }, turn) =>
    turn.result = typeof result === "string" ? { result } : result,
  exit: (step, { wire }) => wire.exit(step.exit),
} satisfies { readonly [Name in StepName]: Run<Name> };

async function answer(
  { thinking, text, tool, input, tools = [], ...pace }: Partial<AnswerStep>,
  turn: Turn,
): Promise<void> {
  if (thinking !== undefined) {
    const signature = "ZmFrZQ==";
    await turn.sendBlock({ type: "thinking", thinking, signature });
  }
  if (text !== undefined) {
    turn.text = text;
    await turn.sendBlock({ type: "text", text }, pace);
  }
  const calls = tools.map(({ name, id, input }) => (
    { tool: name, toolUseId: id, input }
  ));
  await useTools(tool ? [{ tool, input }, ...calls] : calls, turn);
}

async function answered(
  answer: Promise<unknown>,
  { wait = true }: { readonly wait?: boolean | undefined },
): Promise<void> {
  if (wait) await answer;
  // The turn itself reports the interrupt.
  else answer.catch(() => {});
}

async function wait(
  what: WaitStep["wait"],
  { signal, wire }: Turn,
): Promise<void> {
  if (typeof what === "number") return await systemClock.sleep(what, signal);
  const holds = typeof what === "object"
    ? () => wire.takeControl(what.control)
    : EVENTS[what];
  await wire.changes.until(() => holds(wire) || undefined, signal);
}

const EVENTS: Readonly<
  Record<WaitStep["wait"] & string, (wire: FakeWire) => boolean>
> = {
  initialize: (wire) => wire.takeControl("initialize"),
  interrupt: (wire) => wire.takeControl("interrupt"),
  prompt: ({ prompts }) => prompts.length > 0,
  answers: ({ isWaitingForHost }) => !isWaitingForHost,
  "stdin-end": ({ hasInputEnded }) => hasInputEnded,
  forever: () => false,
};
