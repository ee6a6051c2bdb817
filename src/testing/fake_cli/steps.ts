import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type {
  AnswerStep,
  FakeStep,
  FloodStep,
  SayStep,
  ThinkStep,
  WaitStep,
} from "../fake_cli_script.ts";
import type { StepName } from "./check.ts";
import { assistantLine } from "./lines.ts";
import { ask, callHooks, useTools } from "./tools.ts";
import type { Turn } from "./turn.ts";

/** Kinds of steps by the member that tells them; the first that fits is done. */
export type StepKinds = Readonly<
  Record<string, (step: never, turn: Turn) => unknown>
>;

/** Does the steps one after the other; rejects with `Interrupted` when the turn is interrupted. */
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
      // It is the step that has this member.
      await run?.(step as never, turn);
    }
  }
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

/** The model says a text. */
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

/** Bytes that go out in one write. */
const WRITE_BYTES = 65_536;

const TEXT = "@TEXT@";
const UUID = "@UUID@";

/** Sends many messages; made from one line, so that the fake CLI is not what is slow. */
async function flood(
  { messages, bytes = 250, kind = "stream_event" }: FloodStep["flood"],
  turn: Turn,
): Promise<void> {
  const [head, middle, tail] = frame(kind, turn);
  // A uuid has 36 characters, the number in the text up to 8.
  const padding = ".".repeat(
    Math.max(0, bytes - head.length - middle.length - tail.length - 46),
  );
  let batch = "";
  for (let number = 0; number < messages; number++) {
    turn.signal.throwIfAborted();
    const uuid = `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    batch += `${head}${number} ${padding}${middle}${uuid}${tail}`;
    if (batch.length < WRITE_BYTES && number < messages - 1) continue;
    await turn.wire.write(batch);
    batch = "";
  }
}

/** A line cut where the text and the uuid go. */
function frame(
  kind: "stream_event" | "assistant",
  turn: Turn,
): [string, string, string] {
  const id = turn.messageId();
  const { model, sessionId } = turn.wire.context;
  const line = JSON.stringify({
    ...(kind === "assistant"
      ? assistantLine(model, id, { type: "text", text: TEXT }, turn.prompts)
      : {
        type: "stream_event",
        event: {
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text: TEXT },
        },
        parent_tool_use_id: null,
      }),
    session_id: sessionId,
    uuid: UUID,
  });
  const [head = "", rest = ""] = line.split(TEXT);
  const [middle = "", tail = ""] = rest.split(UUID);
  return [head, middle, `${tail}\n`];
}
