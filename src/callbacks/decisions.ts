import { asObject, cut, isObject, typeOf } from "../errors/text.ts";
import type { ToolPolicy } from "../options/tool_policy.ts";
import type { HookEvent } from "../protocol/hooks.ts";
import { BLOCKABLE_HOOKS } from "../protocol/values.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { CallbackFailure, wrongShape } from "./failure.ts";
import { checkKept, readPlain, type Shape } from "./plain.ts";
import { PERMISSION_DECISION, PERMISSION_UPDATE } from "./shapes.ts";

/** Longest reason of a refusal, in characters: it may quote a thrown error. */
const LONGEST_REASON = 10_000;

/** A tool call that is about to be decided. */
export interface ToolCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** The MCP server behind it, as the CLI names it. */
  readonly server: string | undefined;
  /** The directory in which it runs; unknown in a request for a permission. */
  readonly cwd: string | undefined;
}

/** The tool call in a question of the CLI, with its input; `undefined` when it names none. */
export function toolCall(
  { tool_name: tool, mcp_server: server, cwd }: JsonObject,
  input: JsonValue | undefined,
): ToolCall | undefined {
  if (typeof tool !== "string" || tool === "" || !isObject(input)) {
    return undefined;
  }
  const { name } = asObject(server);
  return {
    tool,
    input,
    server: typeof name === "string" ? name : undefined,
    cwd: typeof cwd === "string" ? cwd : undefined,
  };
}

/** A question of the CLI, with what it held before a callback saw it, which may change what it is given. */
export interface Asked {
  readonly raw: JsonObject;
  readonly about?: ToolCall | undefined;
  /** The changes of permissions that the CLI suggested, as texts; `undefined` when there are none. */
  readonly suggested: ReadonlySet<string> | undefined;
}

/** Suggestions of the CLI in a question. */
export function suggestedIn(
  { permission_suggestions: all }: JsonObject,
): Asked["suggested"] {
  return Array.isArray(all) && all.length > 0
    ? new Set(all.map((one) => JSON.stringify(one)))
    : undefined;
}

/** Returns why a call may not run with an input; throws if the policy fails. */
export function judge(
  policy: ToolPolicy | undefined,
  { tool, input, server, cwd }: ToolCall,
): string | undefined {
  try {
    return policy?.(tool, input, server, cwd);
  } catch (error) {
    throw new CallbackFailure("refused", "failed: the policy broke", {
      cause: error,
    });
  }
}

/**
 * Decision of a permission callback in the form of the wire; throws for anything else.
 *
 * Source: protocol reference, section Permissions.
 */
export function permissionAnswer(
  decision: unknown,
  { raw, about, suggested }: Asked,
  policy: ToolPolicy | undefined,
  allowBypass: boolean,
): JsonObject {
  if (typeof decision !== "object" || decision === null) {
    wrongShape(
      `must be a decision, as in { behavior: "allow" } or { behavior: "deny", message }, is ${
        typeOf(decision)
      }`,
    );
  }
  const answer = readPlain(decision, PERMISSION_DECISION) as JsonObject;
  const { toolUseID, updatedInput, updatedPermissions } = answer;
  if (toolUseID !== undefined && toolUseID !== raw.tool_use_id) {
    wrongShape(
      'field "toolUseID" must be the id of the call that was asked about',
    );
  }
  if (answer.behavior !== "allow") return answer;
  checkUpdates(updatedPermissions, suggested, allowBypass);
  checkKept("", decision, answer);
  checkInput(updatedInput, about, policy);
  return answer;
}

/** Rules for the answers of a hook. */
interface HookRules {
  readonly event: HookEvent;
  /** Shape of the answers for that event. */
  readonly shape: Shape;
  /** Judges inputs that it wants changed. */
  readonly policy: ToolPolicy | undefined;
  /** Whether it may switch all questions off. */
  readonly allowBypass: boolean;
}

/**
 * Answer of a hook in the form of the wire: `undefined` counts as `{}`, the event is filled in; throws for anything else.
 *
 * Source: protocol reference, section Hooks.
 */
export function hookAnswer(
  output: unknown,
  { about, suggested }: Asked,
  { event, shape, policy, allowBypass }: HookRules,
): JsonObject {
  if (output === undefined) return {};
  if (typeof output !== "object" || output === null) {
    wrongShape(`must be an object, is ${typeOf(output)}`);
  }
  const answer = readPlain(output, shape) as JsonObject;
  const specific = answer.hookSpecificOutput;
  if (!isObject(specific)) return answer;
  const { decision, permissionDecision, permissionDecisionReason } = specific;
  if (
    permissionDecision === undefined && permissionDecisionReason !== undefined
  ) {
    // A verdict that got lost.
    wrongShape(
      'field "hookSpecificOutput.permissionDecisionReason" comes without "permissionDecision"',
    );
  }
  const given = output as { readonly hookSpecificOutput?: unknown };
  checkKept("hookSpecificOutput", given.hookSpecificOutput, specific);
  if (event === "PreToolUse") checkInput(specific.updatedInput, about, policy);
  if (event === "PermissionRequest" && isObject(decision)) {
    checkUpdates(decision.updatedPermissions, suggested, allowBypass);
    const { decision: asked } = given.hookSpecificOutput as {
      readonly decision?: unknown;
    };
    checkKept("hookSpecificOutput.decision", asked, decision);
    checkInput(decision.updatedInput, about, policy);
  }
  return {
    ...answer,
    hookSpecificOutput: { ...specific, hookEventName: event },
  };
}

/** The answer to a permission request that keeps the call from running. */
export function denial(reason: string): JsonObject {
  return { behavior: "deny", message: cut(reason, LONGEST_REASON) };
}

/** Response that blocks the event, if it can be blocked. */
export function block(event: HookEvent, why: string): JsonObject {
  const reason = cut(why, LONGEST_REASON);
  const denied = {
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  };
  const stopped = { continue: false, stopReason: reason };
  const saying = (specific: JsonObject) => ({
    hookSpecificOutput: { hookEventName: event, ...specific },
  });
  switch (event) {
    case "PreToolUse":
    case "PreSkillShellCommand":
      return saying(denied);
    case "PermissionRequest":
      return saying({ decision: denial(why) });
    case "PreModelSwitch":
      return { ...stopped, ...saying(denied) };
    case "Elicitation":
    case "ElicitationResult":
      return { ...stopped, ...saying({ action: "decline" }) };
    default:
      return BLOCKABLE_HOOKS.includes(event)
        ? { decision: "block", reason }
        : stopped;
  }
}

/** An input that takes the place of the one that was judged is judged as well. */
function checkInput(
  updated: JsonValue | undefined,
  call: ToolCall | undefined,
  policy: ToolPolicy | undefined,
): void {
  if (policy === undefined || !isObject(updated)) return;
  const reason = call === undefined
    ? "the question names no tool call"
    : judge(policy, { ...call, input: updated });
  if (reason === undefined) return;
  throw new CallbackFailure(
    "refused",
    `changed the input to one that may not run: ${reason}`,
  );
}

/** Suggestions of the CLI may have fields of later versions; all other updates are checked. */
function checkUpdates(
  updates: JsonValue | undefined,
  suggested: Asked["suggested"],
  allowBypass: boolean,
): void {
  if (!Array.isArray(updates)) return;
  for (const [index, update] of updates.entries()) {
    if (suggested?.has(JSON.stringify(update))) continue;
    readPlain(update, PERMISSION_UPDATE, `updatedPermissions.${index}`);
    if (allowBypass || update.mode !== "bypassPermissions") continue;
    throw new CallbackFailure(
      "refused",
      'wants the mode "bypassPermissions", which needs permissions.allowBypass',
    );
  }
}
