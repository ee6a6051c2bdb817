import type { ControlHandler } from "../types/control.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { internalError } from "./jsonrpc.ts";

/** Asks the user in the name of a server; its parameters as they came. */
export type Elicit = (
  server: string,
  params: JsonObject,
  signal: AbortSignal,
) => Promise<JsonValue>;

/** What a client says that it can do when somebody can be asked. */
export const ELICITATION_CAPABILITY: JsonObject = {
  elicitation: { form: {}, url: {} },
};

/** Puts questions of servers to the one who answers those that come through the CLI; they read the same there. */
export function elicitThrough(handler: ControlHandler): Elicit {
  return async (server, params, signal) => {
    const { message, mode, url, elicitationId, requestedSchema } = params;
    const answer = await handler({
      subtype: "elicitation",
      mcp_server_name: server,
      ...message !== undefined && { message },
      ...mode !== undefined && { mode },
      ...url !== undefined && { url },
      ...elicitationId !== undefined && { elicitation_id: elicitationId },
      ...requestedSchema !== undefined && {
        requested_schema: requestedSchema,
      },
    }, { requestId: `elicitation of ${server}`, signal });
    if (answer === undefined) throw internalError("Question was taken back");
    return answer;
  };
}
