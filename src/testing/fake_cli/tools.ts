import { unlessAborted } from "../../async/on_abort.ts";
import { isObject } from "../../errors/text.ts";
import type { JsonObject } from "../../types/json.ts";
import { asList } from "../wire_lines.ts";
import type { AskStep, FakeCall, HookStep } from "../fake_cli_script.ts";
import { Interrupted, shortId, type Turn } from "./turn.ts";
import type { FakeWire, HookRegistration, HostAnswer } from "./wire.ts";

/** A call whose id is known. */
interface Call extends FakeCall {
  readonly toolUseId: string;
  readonly input: JsonObject;
}

/** What a tool gave: its text, and whether that is an error. */
interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** What hooks or the host decided about a call: what it runs with, or why it does not run. */
type Verdict =
  | { readonly input: JsonObject }
  | { readonly denied: string; readonly interrupt?: boolean };

/** The model calls tools: each goes through hooks, permission, its run, hooks; one after the other, as with the real CLI. */
export async function useTools(
  steps: readonly FakeCall[],
  turn: Turn,
): Promise<void> {
  for (const call of await announced(steps, turn)) {
    const verdict = await unlessAborted(decide(call, turn), turn.signal);
    await finish(call, verdict, turn);
  }
}

/** The host is asked about one call or several at once. */
export async function ask(
  { ask: asked, wait = true }: AskStep,
  turn: Turn,
): Promise<void> {
  const calls = await announced("length" in asked ? asked : [asked], turn);
  const all = Promise.all(calls.map(async (call) => {
    const verdict = await askHost(call, call.input, turn);
    turn.signal.throwIfAborted();
    await finish(call, verdict, turn);
    if (!wait) turn.wire.events.happened("answer");
  }));
  if (wait) await unlessAborted(all, turn.signal);
  // Interrupted while nobody waited for the answer: the turn itself says so.
  else all.catch(() => {});
}

/** Calls the callbacks of an event that fit. */
export function callHooks(
  { wire }: Turn,
  { hook: event, tool, input = {}, toolUseId, id }: HookStep,
): Promise<readonly HostAnswer[]> {
  const known = tool === undefined ? {} : {
    tool_name: tool,
    tool_input: {},
    tool_use_id: toolUseId,
  };
  const base = {
    session_id: wire.context.sessionId,
    transcript_path: `${wire.context.cwd}/${wire.context.sessionId}.jsonl`,
    cwd: wire.context.cwd,
    hook_event_name: event,
    permission_mode: wire.context.permissionMode,
  };
  const ids = registered(wire, event, tool)
    .flatMap(({ hookCallbackIds }) => hookCallbackIds);
  return Promise.all(ids.map((callback_id) =>
    wire.request({
      subtype: "hook_callback",
      callback_id,
      input: { ...base, ...known, ...input },
      tool_use_id: toolUseId,
    }, ids.length === 1 ? id : undefined)
  ));
}

function registered(
  wire: FakeWire,
  event: string,
  tool: string | undefined,
): readonly HookRegistration[] {
  const all = wire.context.hooks.get(event) ?? [];
  return all.filter(({ matcher }) =>
    tool === undefined || matcher === undefined || matcher === "" ||
    matcher === "*" || new RegExp(`^(?:${matcher})$`).test(tool)
  );
}

/** The model names all its calls before the first of them runs. */
async function announced(
  steps: readonly FakeCall[],
  turn: Turn,
): Promise<readonly Call[]> {
  const calls = steps.map((call) => ({
    ...call,
    toolUseId: call.toolUseId ?? `toolu_${shortId()}`,
    input: call.input ?? {},
  }));
  for (const { tool: name, toolUseId: id, input } of calls) {
    turn.openTools++;
    await turn.sendBlock({ type: "tool_use", id, name, input });
  }
  return calls;
}

/** Hooks first; the host is asked when no hook has decided and the CLI was started that way. */
async function decide(call: Call, turn: Turn): Promise<Verdict> {
  const { wire } = turn;
  const { tool, toolUseId } = call;
  const answers = await callHooks(turn, {
    hook: "PreToolUse",
    tool,
    toolUseId,
    input: { tool_input: call.input },
  });
  const shut = registered(wire, "PreToolUse", tool)
    .some(({ onFailure }) => onFailure === "block");
  let input = call.input;
  let decision: string | undefined;
  for (const { response: output } of answers) {
    if (output === undefined) {
      if (shut) return { denied: "A hook failed" };
      continue;
    }
    const own = output["hookSpecificOutput"];
    const specific = isObject(own) ? own : {};
    const permission = specific["permissionDecision"];
    if (permission === "deny" || output["decision"] === "block") {
      const reason = specific["permissionDecisionReason"] ?? output["reason"];
      return { denied: String(reason ?? "Denied by hook") };
    }
    if (typeof permission === "string") decision = permission;
    const updated = specific["updatedInput"];
    if (isObject(updated)) input = updated;
  }
  const isAsked = decision === "ask" ||
    (decision === undefined && wire.context.isAsking);
  return isAsked ? await askHost(call, input, turn) : { input };
}

async function askHost(
  call: Call,
  input: JsonObject,
  { wire }: Turn,
): Promise<Verdict> {
  wire.setState("requires_action");
  const { response, error } = await wire.request({
    subtype: "can_use_tool",
    tool_name: call.tool,
    display_name: call.tool,
    input,
    tool_use_id: call.toolUseId,
    ...call.fields,
  }, call.id);
  wire.setState("running");
  if (error !== undefined) {
    return { denied: `Tool permission request failed: Error: ${error}` };
  }
  const { behavior, message, updatedInput, interrupt } = response ?? {};
  if (behavior === "allow") {
    const isUpdated = isObject(updatedInput) &&
      Object.keys(updatedInput).length > 0;
    return { input: isUpdated ? updatedInput : input };
  }
  return behavior === "deny" && typeof message === "string"
    ? { denied: message, interrupt: interrupt === true }
    : { denied: `Not a permission result: ${JSON.stringify(response)}` };
}

async function finish(
  call: Call,
  verdict: Verdict,
  turn: Turn,
): Promise<void> {
  const { tool, toolUseId, input } = call;
  if ("denied" in verdict) {
    turn.denials.push({
      tool_name: tool,
      tool_use_id: toolUseId,
      tool_input: input,
    });
    await sendResult(call, { text: verdict.denied, isError: true }, turn);
    if (verdict.interrupt) throw new Interrupted(true);
    return;
  }
  const outcome = await unlessAborted(
    run(call, verdict.input, turn),
    turn.signal,
  );
  await sendResult(call, outcome, turn);
  const { text, isError } = outcome;
  await unlessAborted(
    callHooks(turn, {
      hook: isError ? "PostToolUseFailure" : "PostToolUse",
      tool,
      toolUseId,
      input: {
        tool_input: verdict.input,
        ...(isError ? { error: text } : { tool_response: { stdout: text } }),
      },
    }),
    turn.signal,
  );
}

/** Tools of in-process servers really run; the others give what the script says. */
async function run(
  { tool, toolUseId, result: scripted, isError }: Call,
  input: JsonObject,
  { wire }: Turn,
): Promise<ToolOutcome> {
  const server = wire.context.servers
    .find((name) => tool.startsWith(`mcp__${name}__`));
  if (server === undefined || scripted !== undefined) {
    return { text: scripted ?? "ok", isError: isError === true };
  }
  const answer = await wire.rpc({
    server,
    method: "tools/call",
    params: {
      name: tool.slice(`mcp__${server}__`.length),
      arguments: input,
      _meta: { "claudecode/toolUseId": toolUseId },
    },
  });
  if (answer.error !== undefined) return { text: answer.error, isError: true };
  const reply = answer.response?.["mcp_response"];
  if (!isObject(reply)) return { text: "No mcp_response", isError: true };
  const { result, error } = reply;
  if (!isObject(result)) {
    const text = isObject(error) ? String(error["message"]) : "No result";
    return { text, isError: true };
  }
  return { text: textOf(result), isError: result["isError"] === true };
}

async function sendResult(
  { toolUseId }: Call,
  { text, isError }: ToolOutcome,
  turn: Turn,
): Promise<void> {
  turn.openTools--;
  turn.endMessage();
  await turn.wire.send({
    type: "user",
    message: {
      role: "user",
      content: [{
        type: "tool_result",
        tool_use_id: toolUseId,
        content: text,
        is_error: isError,
      }],
    },
    parent_tool_use_id: null,
    timestamp: new Date().toISOString(),
    tool_use_result: isError ? `Error: ${text}` : { stdout: text },
  });
}

/** Structured content replaces the text, as with the real CLI. */
function textOf({ structuredContent, content }: JsonObject): string {
  if (isObject(structuredContent)) return JSON.stringify(structuredContent);
  return asList(content)
    .map((block) => isObject(block) ? block["text"] ?? "" : "")
    .join("");
}
