import assert from "node:assert/strict";
import * as agent from "@sluice/agent";
import type {
  InitMessage,
  Message,
  SystemMessage,
  UnknownMessage,
} from "@sluice/agent";
import { test } from "../_harness.ts";
import { holds, type Same } from "../types/_same.ts";
import { SAMPLES } from "./_samples.ts";

const UNKNOWN: UnknownMessage = {
  type: "unknown",
  originalType: "news",
  raw: { type: "news" },
};

/** Which samples each guard is for. */
const WANTED: Readonly<Record<string, (kind: string) => boolean>> = {
  isAssistant: (kind) => kind === "assistant",
  isUser: (kind) => kind.startsWith("user"),
  isReplay: (kind) => kind === "user replay",
  isResult: (kind) => kind.startsWith("result/"),
  isStreamEvent: (kind) => kind === "stream_event",
  isSystem: (kind) => kind.startsWith("system/"),
  isInit: (kind) => kind === "system/init",
  isToolProgress: (kind) => kind === "tool_progress",
  isToolUseSummary: (kind) => kind === "tool_use_summary",
  isAuthStatus: (kind) => kind === "auth_status",
  isRateLimit: (kind) => kind === "rate_limit_event",
  isPromptSuggestion: (kind) => kind === "prompt_suggestion",
  isConversationReset: (kind) => kind === "conversation_reset",
  isActiveGoal: (kind) => kind === "active_goal",
  isCommandLifecycle: (kind) => kind === "command_lifecycle",
  isUnknown: (kind) => kind === "unknown",
};

test("each guard tells its kind from all others", () => {
  for (const name of Object.keys(WANTED) as "isUser"[]) {
    const guard: (message: Message) => boolean = agent[name];
    for (
      const [kind, sample] of [
        ...Object.entries(SAMPLES),
        ["unknown", UNKNOWN] as const,
      ]
    ) {
      assert.equal(guard(sample), WANTED[name]?.(kind), `${name}: ${kind}`);
    }
  }
}, { ids: ["PA-07"] });

test("isSystem() tells one subtype when asked for it", () => {
  const status = SAMPLES["system/status"] ?? UNKNOWN;
  assert.ok(agent.isSystem(status, "status"));
  assert.equal(agent.isSystem(status, "init"), false);
});

test("guards narrow the union", () => {
  function narrow(message: Message): string {
    if (agent.isInit(message)) {
      holds<Same<typeof message, InitMessage>>();
      return message.cwd;
    }
    if (agent.isSystem(message, "status")) return String(message.status);
    if (agent.isSystem(message)) {
      holds<
        Same<
          typeof message,
          Exclude<SystemMessage, InitMessage | { subtype: "status" }>
        >
      >();
    }
    if (agent.isResult(message)) return String(message.is_error);
    return agent.isUnknown(message) ? message.originalType : message.type;
  }
  assert.equal(narrow(UNKNOWN), "news");
  assert.equal(narrow(SAMPLES["system/init"] ?? UNKNOWN), "/home/user/project");
});
