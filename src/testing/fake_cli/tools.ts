import { unlessAborted } from "../../async/on_abort.ts";
import { asObject, isObject } from "../../errors/text.ts";
import type { JsonObject, JsonValue } from "../../types/json.ts";
import type { HookStep, ToolStep } from "../fake_cli_script.ts";
import { textIn } from "../lines.ts";
import type { HookRegistration } from "./context.ts";
import { userLine } from "./lines.ts";
import type { HostAnswer } from "./record.ts";
import { Interrupted, shortId, type Turn } from "./turn.ts";

interface Call extends ToolStep {
  readonly toolUseId: string;
  readonly input: JsonObject;
}

interface ToolOutcome {
  readonly text: string;
  readonly isError: boolean;
}

/** The decision of hooks or the host: the input to run with, or why it does not run. */
type Verdict =
  | { readonly input: JsonObject }
  | { readonly denied: string; readonly interrupt?: boolean };

/** Calls tools one after the other, as the real CLI does: hooks, permission, run, hooks. */
export async function useTools(
  steps: readonly ToolStep[],
  turn: Turn,
): Promise<void> {
  for (const call of await announced(steps, turn)) {
    await finish(call, await decide(call, turn), turn);
  }
}

/** Calls the callbacks of an event whose matcher fits. */
export function callHooks(
  turn: Turn,
  { hook: event, tool, input = {}, toolUseId, id }: HookStep,
): Promise<readonly HostAnswer[]> {
  const { sessionId, cwd, permissionMode } = turn.wire.context;
  const ids = registered(turn, event, tool)
    .flatMap(({ hookCallbackIds }) => hookCallbackIds);
  return Promise.all(ids.map((callback_id) =>
    turn.request({
      subtype: "hook_callback",
      callback_id,
      input: {
        session_id: sessionId,
        transcript_path: `${cwd}/${sessionId}.jsonl`,
        cwd,
        hook_event_name: event,
        permission_mode: permissionMode,
        ...tool !== undefined &&
          { tool_name: tool, tool_input: {}, tool_use_id: toolUseId },
        ...input,
      },
      tool_use_id: toolUseId,
    }, ids.length === 1 ? id : undefined)
  ));
}

function registered(
  { wire }: Turn,
  event: string,
  tool: string | undefined,
): readonly HookRegistration[] {
  const all = wire.context.hooks.get(event) ?? [];
  return all.filter(({ matcher }) =>
    tool === undefined || !matcher || matcher === "*" ||
    new RegExp(`^(?:${matcher})$`).test(tool)
  );
}

/** Names all calls before the first of them runs, as the model does. */
async function announced(
  steps: readonly ToolStep[],
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

/** Hooks first; then the host, if no hook decided and the CLI was started to ask. */
async function decide(call: Call, turn: Turn): Promise<Verdict> {
  const { tool, toolUseId } = call;
  const hook = "PreToolUse";
  const event = { hook, tool, toolUseId, input: { tool_input: call.input } };
  const answers = await callHooks(turn, event);
  const mustSucceed = registered(turn, hook, tool)
    .some(({ onFailure }) => onFailure === "block");
  let input = call.input;
  let decision: JsonValue | undefined;
  for (const { response: output } of answers) {
    if (output === undefined) {
      if (mustSucceed) return { denied: "A hook failed" };
      continue;
    }
    const {
      permissionDecision,
      permissionDecisionReason: reason = output["reason"],
      updatedInput,
    } = asObject(output["hookSpecificOutput"]);
    if (permissionDecision === "deny" || output["decision"] === "block") {
      return { denied: String(reason ?? "Denied by hook") };
    }
    decision = permissionDecision ?? decision;
    if (isObject(updatedInput)) input = updatedInput;
  }
  const isAsked = decision === "ask" ||
    (decision === undefined && turn.wire.context.isAsking);
  return isAsked ? await askHost(call, input, turn) : { input };
}

async function askHost(
  { tool, toolUseId, fields, id }: Call,
  input: JsonObject,
  turn: Turn,
): Promise<Verdict> {
  turn.wire.setState("requires_action");
  const { response = {}, error } = await turn.request({
    subtype: "can_use_tool",
    tool_name: tool,
    display_name: tool,
    input,
    tool_use_id: toolUseId,
    ...fields,
  }, id);
  turn.wire.setState("running");
  if (error !== undefined) {
    return { denied: `Tool permission request failed: Error: ${error}` };
  }
  const { behavior, message, updatedInput, interrupt } = response;
  if (behavior === "allow") {
    const updated = asObject(updatedInput);
    return { input: Object.keys(updated).length > 0 ? updated : input };
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
  const { tool, toolUseId } = call;
  if ("denied" in verdict) {
    turn.denials.push({
      tool_name: tool,
      tool_use_id: toolUseId,
      tool_input: call.input,
    });
    await sendResult(call, { text: verdict.denied, isError: true }, turn);
    if (!verdict.interrupt) return;
    turn.failure = "aborted_tools";
    throw new Interrupted();
  }
  const { input } = verdict;
  const outcome = await run(call, input, turn);
  await sendResult(call, outcome, turn);
  const [hook, seen] = outcome.isError
    ? ["PostToolUseFailure", { error: outcome.text }]
    : ["PostToolUse", { tool_response: { stdout: outcome.text } }];
  await callHooks(turn, {
    hook,
    tool,
    toolUseId,
    input: { tool_input: input, ...seen },
  });
}

/** Runs a tool of an in-process server; any other returns the script's result. */
async function run(
  { tool, toolUseId, result: scripted, isError = false }: Call,
  input: JsonObject,
  turn: Turn,
): Promise<ToolOutcome> {
  const server = turn.wire.context.servers
    .find((name) => tool.startsWith(`mcp__${name}__`));
  if (server === undefined || scripted !== undefined) {
    return { text: scripted ?? "ok", isError };
  }
  const answer = await unlessAborted(
    turn.wire.rpc(server, "tools/call", {
      name: tool.slice(`mcp__${server}__`.length),
      arguments: input,
      _meta: { "claudecode/toolUseId": toolUseId },
    }),
    turn.signal,
  );
  const { result, error } = asObject(answer.response?.["mcp_response"]);
  if (isObject(result)) {
    const { structuredContent, content, isError } = result;
    // Structured content replaces the text, as with the real CLI.
    const text = isObject(structuredContent)
      ? JSON.stringify(structuredContent)
      : textIn(content);
    return { text, isError: isError === true };
  }
  const text = answer.error ?? asObject(error).message ?? "No result";
  return { text: String(text), isError: true };
}

async function sendResult(
  { toolUseId }: Call,
  { text, isError }: ToolOutcome,
  turn: Turn,
): Promise<void> {
  turn.openTools--;
  turn.messageId = undefined;
  await turn.wire.send(userLine({
    type: "tool_result",
    tool_use_id: toolUseId,
    content: text,
    is_error: isError,
  }, {
    timestamp: new Date().toISOString(),
    tool_use_result: isError ? `Error: ${text}` : { stdout: text },
  }));
}
