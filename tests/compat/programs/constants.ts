// deno-lint-ignore-file require-await -- written as users of the official SDK write
import type { Model, Program } from "../_program.ts";

export const model: Model = [];

const program: Program = async ({
  BUILTIN_TOOL_NAMES,
  HOOK_EVENTS,
  EXIT_REASONS,
  LEGACY_TOOL_NAME_ALIASES,
  SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  ORG_POLICY_LIMIT_PREFIXES,
  USAGE_LIMIT_ERROR_PREFIXES,
  USAGE_TRANSITION_PREFIXES,
  USAGE_WARNING_PREFIXES,
  foldSessionSummary,
}, place) => {
  const { options, print } = place;

  print(
    BUILTIN_TOOL_NAMES.length,
    HOOK_EVENTS.length,
    EXIT_REASONS,
    LEGACY_TOOL_NAME_ALIASES,
    SYSTEM_PROMPT_DYNAMIC_BOUNDARY,
  );
  print(
    ORG_POLICY_LIMIT_PREFIXES,
    USAGE_LIMIT_ERROR_PREFIXES,
    USAGE_TRANSITION_PREFIXES,
    USAGE_WARNING_PREFIXES,
  );
  print(BUILTIN_TOOL_NAMES, HOOK_EVENTS);
  const key = {
    projectKey: "p",
    sessionId: "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11",
  };
  print(
    options.cwd !== "",
    foldSessionSummary(undefined, key, [
      {
        type: "user",
        timestamp: "2026-01-01T00:00:00.000Z",
        cwd: "/a",
        message: { role: "user", content: "Hello there" },
      },
      { type: "tag", tag: "later" },
      { type: "summary", summary: "In short" },
    ], { mtime: 5 }),
  );
};

export default program;
