import { unlessAborted } from "../../async/on_abort.ts";
import { systemClock } from "../../async/system_clock.ts";
import type { JsonObject } from "../../types/json.ts";
import type { AnswerStep, FakeStep, WaitStep } from "../fake_cli_script.ts";
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
    await runStep(wire, step, turn);
  }
}

/** The member that tells the step; `tool` comes after `hook`, which may have a `tool` as well. */
async function runStep(
  wire: FakeWire,
  step: FakeStep,
  turn: Turn,
): Promise<void> {
  if (typeof step === "string") return await say(wire, { say: step }, turn);
  if ("text" in step) return await answer(wire, step, turn);
  if ("say" in step) return await say(wire, step, turn);
  if ("think" in step) return await think(wire, step, turn);
  if ("ask" in step) return await ask(wire, step, turn);
  if ("hook" in step) {
    return await answered(wire, callHooks(wire, step), step, turn);
  }
  if ("tool" in step) return await useTools(wire, [step], turn);
  if ("mcp" in step) {
    const answer = wire.rpc(step.mcp, step.id);
    return await answered(wire, answer, step, turn);
  }
  if ("request" in step) {
    const answer = wire.request(step.request, step.id);
    return await answered(wire, answer, step, turn);
  }
  if ("cancel" in step) return wire.cancel(step.cancel);
  if ("wait" in step) return void await wait(wire, step.wait, turn.signal);
  if ("message" in step) return await wire.send(step.message);
  if ("line" in step) return await sendLine(wire, step, turn.signal);
  if ("bytes" in step) return await wire.write(toBytes(step.bytes));
  if ("flood" in step) return await flood(wire, step.flood, turn);
  if ("stderr" in step) {
    return await wire.writeError(step.stderr.repeat(step.times ?? 1));
  }
  if ("result" in step) return setResult(step.result, turn);
  if ("state" in step) return wire.setState(step.state);
  if ("close" in step) return await wire.close(step.close);
  if ("exit" in step) return await wire.exit(step.exit);
  if ("kill" in step) return await wire.kill(step.kill);
  if ("repeat" in step) {
    for (let round = 0; round < step.repeat; round++) {
      await runSteps(wire, step.steps, turn);
    }
    return;
  }
  await Promise.all(
    step.parallel.map((steps) => runSteps(wire, steps, turn)),
  );
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
