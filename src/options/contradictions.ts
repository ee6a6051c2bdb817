import type { AgentOptions } from "../types/options.ts";
import { contradict, refuse } from "./fields.ts";
import { checkBare } from "./guarded.ts";
import { parseSettings } from "./json.ts";
import { parseSpec, splitSpecs } from "./tool_spec.ts";

/** Refuses options that are right one by one and wrong together. */
export function checkTogether(options: AgentOptions): void {
  checkLists(options);
  checkSession(options);
  checkSettings(options);
  checkBare(options);
  const { permissions, model, fallbackModel } = options;
  const { supportedDialogKinds = [], onUserDialog } = options;
  if (
    permissions?.mode === "bypassPermissions" &&
    permissions.allowBypass !== true
  ) {
    const why = "needs permissions.allowBypass: true beside it";
    contradict("permissions.mode", permissions.mode, why);
  }
  if (
    permissions?.prompts === "none" && permissions.canUseTool !== undefined
  ) {
    const why = 'must be left out beside "permissions.canUseTool"';
    contradict("permissions.prompts", "none", why);
  }
  if (supportedDialogKinds.length > 0 && onUserDialog === undefined) {
    const why = 'needs "onUserDialog" beside it, to show them';
    contradict("supportedDialogKinds", supportedDialogKinds.join(","), why);
  }
  if (options.debug === false && options.debugFile !== undefined) {
    const why = 'must be left out when "debugFile" is set';
    contradict("debug", false, why);
  }
  if (model !== undefined && fallbackModel?.split(",").includes(model)) {
    const why = 'must differ from "model", or be left out';
    contradict("fallbackModel", fallbackModel, why);
  }
}

function checkLists(
  { allowedTools = [], deniedTools = [], permissions }: AgentOptions,
): void {
  const allowed = splitSpecs(allowedTools);
  if (allowed.length > 0 && splitSpecs(deniedTools).length > 0) {
    const why =
      'must be left out when "deniedTools" is set: an allow-list already denies the rest';
    contradict("allowedTools", allowed.join(","), why);
  }
  refuseWide("allowedTools", allowed, "left out to allow every tool");
  const approved = splitSpecs(permissions?.approve ?? []);
  const mode =
    'a name: for everything use mode "bypassPermissions" with "allowBypass"';
  refuseWide("permissions.approve", approved, mode);
}

/** Only names of MCP tools may hold a wildcard: the CLI does not expand others. */
function refuseWide(
  key: string,
  specs: readonly string[],
  must: string,
): void {
  for (const text of specs) {
    const tool = parseSpec(text)?.tool ?? "";
    if (tool === "*") refuse(key, text, must);
    if (tool.includes("*") && !tool.startsWith("mcp__")) {
      refuse(key, text, "the name of a tool, without a wildcard");
    }
  }
}

function checkSession(options: AgentOptions): void {
  const { resume, forkSession, sessionId, resumeSessionAt, resumeDropsTurn } =
    options;
  const goesOn = resume !== undefined || options.continue === true;
  if (resume !== undefined && options.continue === true) {
    const why = 'must be left out when "resume" is set';
    contradict("continue", true, why);
  }
  if (forkSession === true && !goesOn) {
    contradict("forkSession", true, 'needs "resume" or "continue" beside it');
  }
  if (resumeSessionAt !== undefined && resume === undefined) {
    const why = 'needs "resume" beside it';
    contradict("resumeSessionAt", resumeSessionAt, why);
  }
  if (resumeDropsTurn !== undefined && resumeSessionAt === undefined) {
    const why = 'needs "resumeSessionAt" beside it';
    contradict("resumeDropsTurn", resumeDropsTurn, why);
  }
  if (sessionId !== undefined && goesOn && forkSession !== true) {
    const why = 'needs "forkSession" beside "resume" or "continue"';
    contradict("sessionId", sessionId, why);
  }
  checkTranscripts(options);
}

function checkTranscripts(
  { transcripts, persistSession, continue: goesOn }: AgentOptions,
): void {
  if (transcripts === undefined) return;
  if (persistSession === false) {
    const why =
      'must be left out when "transcripts" is set: the store gets a copy of what the CLI writes';
    contradict("persistSession", false, why);
  }
  if (goesOn === true && transcripts.store.listSessions === undefined) {
    const why = 'needs a "transcripts.store" that has listSessions()';
    contradict("continue", true, why);
  }
}

function checkSettings({ settings, sandbox }: AgentOptions): void {
  const parsed = parseSettings(settings);
  if (typeof parsed === "string" && sandbox !== undefined) {
    const why =
      'cannot be joined with "settings" in a file, write it into that file';
    contradict("sandbox", sandbox, why);
  }
}
