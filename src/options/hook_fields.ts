import type { HookEvent, HookMatcher } from "../types/hooks.ts";
import {
  callback,
  checkKeys,
  duration,
  type Fields,
  isBag,
  list,
  object,
  oneOf,
  refuse,
  words,
} from "./fields.ts";

const MATCHER: Fields<HookMatcher> = {
  matcher: words,
  hooks: list(callback),
  timeoutMs: duration,
  onFailure: oneOf("continue", "block"),
};

const matchers = list(object<HookMatcher>(MATCHER, ["hooks"]));

/** Every event of the protocol; one that is missing here does not compile. */
const EVENTS: Fields<Record<HookEvent, unknown>> = {
  PreToolUse: matchers,
  PostToolUse: matchers,
  PostToolUseFailure: matchers,
  PostToolBatch: matchers,
  PermissionRequest: matchers,
  PermissionDenied: matchers,
  UserPromptSubmit: matchers,
  UserPromptExpansion: matchers,
  SessionStart: matchers,
  SessionEnd: matchers,
  Setup: matchers,
  Stop: matchers,
  StopFailure: matchers,
  SubagentStart: matchers,
  SubagentStop: matchers,
  PreCompact: matchers,
  PostCompact: matchers,
  PreModelSwitch: matchers,
  PostModelSwitch: matchers,
  Notification: matchers,
  MessageDisplay: matchers,
  Elicitation: matchers,
  ElicitationResult: matchers,
  ConfigChange: matchers,
  InstructionsLoaded: matchers,
  CwdChanged: matchers,
  FileChanged: matchers,
  DirectoryAdded: matchers,
  WorktreeCreate: matchers,
  WorktreeRemove: matchers,
  TaskCreated: matchers,
  TaskCompleted: matchers,
  TeammateIdle: matchers,
};

/** The callbacks by event. */
export function hooks(value: unknown, key: string): void {
  if (!isBag(value)) refuse(key, value, "an object");
  checkKeys(value, EVENTS, `${key}.`);
}
