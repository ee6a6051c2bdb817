import type { Deadlines } from "../async/deadline.ts";
import { show, typeOf } from "../errors/text.ts";
import type { ControlHandler } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions, ElicitationRequest } from "../types/options.ts";
import { type Listeners, tellFailure } from "./failure.ts";
import { Call, type Guarding, runGuarded } from "./guard.ts";
import { checkShape, isObject, type Shape, wrongShape } from "./shape.ts";

/** What an {@link elicitationHandler} is made from. */
export interface ElicitationInit extends Listeners {
  /** The user's callback; without one every question is declined. */
  readonly onElicitation: AgentOptions["onElicitation"];
  /** The limit of one call, in milliseconds. */
  readonly limitMs: number;
  /** Limits. */
  readonly deadlines: Deadlines;
}

const RESULT: Shape = {
  action: ["accept", "decline", "cancel"],
  content: "object",
};

/** Answers `elicitation`; a callback that fails has not chosen, which is a cancel. */
export function elicitationHandler(init: ElicitationInit): ControlHandler {
  const { onElicitation, limitMs, deadlines } = init;
  if (onElicitation === undefined) return () => ({ action: "decline" });
  const guarding: Guarding = {
    deadlines,
    limitMs,
    accept: toAnswer,
    refuse: (failure, { request, requestId }) => {
      const server = request.mcp_server_name;
      const what = `Elicitation callback for ${show(server)}`;
      tellFailure(
        failure,
        { what, request, requestId, details: { server } },
        init,
      );
      return { action: "cancel" };
    },
  };
  return (request, context) => {
    const call = new Call(request, context);
    return runGuarded(
      () => onElicitation(toRequest(request), { signal: call.signal }),
      call,
      guarding,
    );
  };
}

function toRequest(raw: JsonObject): ElicitationRequest {
  const { mode, url, elicitation_id: id, requested_schema: schema } = raw;
  return {
    serverName: String(raw.mcp_server_name),
    message: String(raw.message ?? ""),
    ...(mode === "form" || mode === "url") && { mode },
    ...typeof url === "string" && { url },
    ...typeof id === "string" && { elicitationId: id },
    ...isObject(schema) && { requestedSchema: schema },
    raw,
  };
}

function toAnswer(result: unknown): JsonObject {
  if (!isObject(result)) wrongShape(`must be an object, is ${typeOf(result)}`);
  if (result.action === undefined) wrongShape('field "action" is missing');
  checkShape(result, RESULT);
  return result;
}
