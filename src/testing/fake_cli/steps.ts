import { systemClock } from "../../async/system_clock.ts";
import type {
  AnswerStep,
  FakeStep,
  SayStep,
  StepName,
  ThinkStep,
  WaitStep,
} from "../fake_cli_script.ts";
import { callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";

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
    if (typeof step === "string") await say({ say: step }, turn);
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
  say,
  text: answer,
  think,
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

async function say({ say: text, ...pace }: SayStep, turn: Turn): Promise<void> {
  turn.text = text;
  await turn.sendBlock({ type: "text", text }, pace);
}

function think({ think: thinking }: ThinkStep, turn: Turn): Promise<void> {
  const signature = "ZmFrZQ==";
  return turn.sendBlock({ type: "thinking", thinking, signature });
}

async function answer(
  { thinking, text, tool, input, tools = [], ...pace }: AnswerStep,
  turn: Turn,
): Promise<void> {
  if (thinking !== undefined) await think({ think: thinking }, turn);
  await say({ say: text, ...pace }, turn);
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
      return events.until(() => wire.prompts.length > 0 || undefined, signal);
    case "answers":
      return events.until(() => !wire.isWaitingForHost || undefined, signal);
    case "forever":
      return events.until(() => undefined, signal);
    default:
      return events.take(what, signal);
  }
}
