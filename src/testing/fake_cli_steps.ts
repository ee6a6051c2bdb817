import type { JsonObject } from "../types/json.ts";
import { flood } from "./fake_cli_flood.ts";
import { say, think } from "./fake_cli_says.ts";
import type { AnswerStep, FakeStep, WaitStep } from "./fake_cli_script.ts";
import type { FakeSession } from "./fake_cli_session.ts";
import { ask, callHooks, useTools } from "./fake_cli_tools.ts";
import type { Turn } from "./fake_cli_turn.ts";
import { pause, untilAborted } from "./fake_cli_waits.ts";

/** Does the steps one after the other; rejects with `Interrupted` when the turn is interrupted. */
export async function runSteps(
  session: FakeSession,
  steps: readonly FakeStep[],
  turn: Turn,
): Promise<void> {
  for (const step of steps) {
    turn.signal.throwIfAborted();
    await runStep(session, step, turn);
  }
}

/** The member that tells the step; `tool` comes after `hook`, which may have a `tool` as well. */
async function runStep(
  session: FakeSession,
  step: FakeStep,
  turn: Turn,
): Promise<void> {
  if (typeof step === "string") return await say(session, { say: step }, turn);
  if ("text" in step) return await answer(session, step, turn);
  if ("say" in step) return await say(session, step, turn);
  if ("think" in step) return await think(session, step, turn);
  if ("ask" in step) return await ask(session, step, turn);
  if ("hook" in step) {
    return await untilAnswered(session, callHooks(session, step), step, turn);
  }
  if ("tool" in step) return await useTools(session, [step], turn);
  if ("mcp" in step) {
    const { server, method, params, isNotification = false } = step.mcp;
    const answer = session.rpc(server, method, params, {
      isNotification,
      ...(step.id === undefined ? {} : { id: step.id }),
    });
    return await untilAnswered(session, answer, step, turn);
  }
  if ("request" in step) {
    const answer = session.request(step.request, step.id);
    return await untilAnswered(session, answer, step, turn);
  }
  if ("cancel" in step) return session.cancel(step.cancel);
  if ("wait" in step) return await wait(session, step.wait, turn.signal);
  if ("message" in step) return await session.send(step.message);
  if ("line" in step) return await sendLine(session, step, turn.signal);
  if ("bytes" in step) return await session.write(toBytes(step.bytes));
  if ("flood" in step) return await flood(session, step.flood, turn);
  if ("stderr" in step) {
    return await session.writeError(step.stderr.repeat(step.times ?? 1));
  }
  if ("result" in step) return setResult(step.result, turn);
  if ("state" in step) return session.setState(step.state);
  if ("close" in step) return await session.close(step.close);
  if ("exit" in step) return await session.exit(step.exit);
  if ("kill" in step) return await session.kill(step.kill);
  if ("repeat" in step) {
    for (let round = 0; round < step.repeat; round++) {
      await runSteps(session, step.steps, turn);
    }
    return;
  }
  await Promise.all(
    step.parallel.map((steps) => runSteps(session, steps, turn)),
  );
}

async function answer(
  session: FakeSession,
  { thinking, text, tool, input, tools = [], ...pace }: AnswerStep,
  turn: Turn,
): Promise<void> {
  if (thinking !== undefined) await think(session, { think: thinking }, turn);
  await say(session, { say: text, ...pace }, turn);
  await useTools(session, [
    ...(tool === undefined ? [] : [{ tool, input: input ?? {} }]),
    ...tools.map(({ name, input = {}, id }) => ({
      tool: name,
      input,
      ...(id === undefined ? {} : { toolUseId: id }),
    })),
  ], turn);
}

async function untilAnswered(
  session: FakeSession,
  answer: Promise<unknown>,
  step: { readonly wait?: boolean },
  turn: Turn,
): Promise<void> {
  if (step.wait !== false) await untilAborted(answer, turn.signal);
  else answer.then(() => session.happened("answer"));
}

function wait(
  session: FakeSession,
  what: WaitStep["wait"],
  signal: AbortSignal,
): Promise<void> {
  if (typeof what === "number") return pause(what, signal);
  if (typeof what === "object") {
    return session.until(() => session.take(`control:${what.control}`), signal);
  }
  switch (what) {
    case "prompt":
      return session.until(() => session.hasPrompt, signal);
    case "answers":
      return session.until(() => !session.isWaitingForHost, signal);
    case "forever":
      return session.until(() => false, signal);
    default:
      return session.until(() => session.take(what), signal);
  }
}

async function sendLine(
  session: FakeSession,
  { line, pieces = 1, delayMs = 1 }: Extract<FakeStep, { line: unknown }>,
  signal: AbortSignal,
): Promise<void> {
  const text = typeof line === "string" ? line : JSON.stringify(line);
  const bytes = new TextEncoder().encode(`${text}\n`);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) {
    if (at > 0) await pause(delayMs, signal);
    await session.write(bytes.subarray(at, at + size));
  }
}

function setResult(result: string | JsonObject | false, turn: Turn): void {
  turn.result = typeof result === "string" ? { result } : result;
}

function toBytes(bytes: Uint8Array | string): Uint8Array {
  if (typeof bytes !== "string") return bytes;
  return Uint8Array.from(atob(bytes), (char) => char.charCodeAt(0));
}
