import type { JsonObject, JsonValue } from "../types/json.ts";
import type { StepKind } from "./story_data.ts";
import { objectIn } from "./story_text.ts";

/** A request as a step: the tool call that it is about stands last. */
type RequestStep = readonly [
  kind: StepKind,
  title: string,
  text: JsonValue | undefined,
  about?: JsonValue | undefined,
];

export function requestOfHost({ subtype, ...text }: JsonObject): RequestStep {
  return ["control", String(subtype), text];
}

export function requestOfCli(request: JsonObject): RequestStep {
  const input = objectIn(request["input"]);
  const call = request["tool_use_id"];
  switch (request["subtype"]) {
    case "can_use_tool":
      return ["permission", `${request["tool_name"]}?`, input, call];
    case "hook_callback": {
      const { hook_event_name: event = "hook", tool_name: tool } = input;
      const title = tool ? `${event} of ${tool}` : `${event}`;
      return ["hook", title, input, call ?? input["tool_use_id"]];
    }
    case "mcp_message": {
      const inner = objectIn(request["message"]);
      const { name = "" } = objectIn(inner["params"]);
      const method = inner["method"] ?? "answer";
      const title = `${request["server_name"]}: ${method} ${name}`;
      return ["mcp", title, inner];
    }
    case "elicitation":
      return ["permission", String(request["message"]), request];
    default:
      return ["control", String(request["subtype"]), request];
  }
}
