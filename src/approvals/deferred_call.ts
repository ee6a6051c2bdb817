import type { JsonObject } from "../types/json.ts";

/** The call that the CLI defers: it can defer one in a turn, and none of a subagent. */
export interface DeferredCall {
  /** Defers a call, of which this is the request; returns why it cannot be deferred. */
  defer(call: JsonObject, request: string): string | undefined;
  /** The id of the request of a call, if it was deferred last. */
  requestOf(toolUseId: unknown): string | undefined;
}

/** Makes the record of one conversation. */
export function deferredCall(): DeferredCall {
  let last: {
    readonly prompt: unknown;
    readonly call: string;
    readonly request: string;
  } | undefined;

  return {
    defer({ tool_use_id: id, prompt_id: prompt, agent_id: agent }, request) {
      const call = String(id);
      if (agent !== undefined) return "a subagent's call cannot be deferred";
      if (last !== undefined && last.prompt === prompt && last.call !== call) {
        return "another call of this turn is deferred already, and only one can be";
      }
      last = { prompt, call, request };
      return undefined;
    },
    requestOf: (toolUseId) =>
      last?.call === toolUseId ? last?.request : undefined,
  };
}
