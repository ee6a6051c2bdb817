import type { JsonObject } from "../types/json.ts";

/** The call that the CLI defers: it can defer one in a turn, and none of a subagent. */
export interface DeferredCall {
  /** Defers a call; returns why it cannot be deferred. */
  defer(call: JsonObject): string | undefined;
  /** Whether this call was deferred last. */
  is(toolUseId: unknown): boolean;
}

/** Makes the record of one conversation. */
export function deferredCall(): DeferredCall {
  let last: { readonly prompt: unknown; readonly call: string } | undefined;

  return {
    defer({ tool_use_id: id, prompt_id: prompt, agent_id: agent }) {
      const call = String(id);
      if (agent !== undefined) return "a subagent's call cannot be deferred";
      if (last !== undefined && last.prompt === prompt && last.call !== call) {
        return "another call of this turn is deferred already, and only one can be";
      }
      last = { prompt, call };
      return undefined;
    },
    is: (toolUseId) => last !== undefined && last.call === toolUseId,
  };
}
