import type { HubRequest, HubRequestObserver } from "../types/mcp_hub.ts";
import { ATTRIBUTE as A } from "./names.ts";
import { failureOf, type Setting } from "./setting.ts";
import { KIND, Span } from "./spans.ts";

/** Makes the span and the metric of one request of a hub. */
export function observeRequest(
  setting: Setting,
  { server, method, tool }: HubRequest,
): HubRequestObserver {
  const facts = {
    [A.mcpMethod]: method,
    [A.mcpServer]: server,
    ...tool !== undefined && {
      [A.operation]: "execute_tool",
      [A.tool]: tool,
    },
  };
  const span = new Span(setting.tracer(), {
    name: tool === undefined ? method : `${method} ${tool}`,
    kind: KIND.client,
    attributes: facts,
  });
  return {
    trace: () => span.trace,
    retry: (error) => span.event("retry", { [A.error]: failureOf(error).type }),
    end({ attempts, error, isError }) {
      span.set({ [A.attempts]: attempts });
      const { type, message } = error === undefined
        ? { type: isError ? "tool_error" : undefined, message: undefined }
        : failureOf(error);
      if (type !== undefined) span.fail(type, message);
      setting.record("mcpDuration", span.end(), {
        ...facts,
        ...type !== undefined && { [A.error]: type },
      });
    },
  };
}
