import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { asList } from "./wire_lines.ts";

/** What kind of line of the host it is: two of one kind may say different things. */
export function kindOf({ type, request, response }: JsonObject): string {
  const about = type === "control_request"
    ? fieldOf(request, "subtype")
    // Ids of the CLI's own requests come from the cassette, so they are the same.
    : type === "control_response"
    ? fieldOf(response, "request_id")
    : "";
  return `${type} ${about}`;
}

/** A recorded line of the CLI with the ids of now. */
export function withIds(
  message: JsonObject,
  ids: ReadonlyMap<string, string>,
): JsonObject {
  const { type, response, request, request_id } = message;
  if (type === "control_response" && isObject(response)) {
    return {
      ...message,
      response: { ...response, request_id: known(response["request_id"], ids) },
    };
  }
  if (type === "control_request" && isObject(request)) {
    const { callback_id } = request;
    return callback_id === undefined ? message : {
      ...message,
      request: { ...request, callback_id: known(callback_id, ids) },
    };
  }
  const isProgress = message["subtype"] === "control_request_progress";
  return isProgress
    ? { ...message, request_id: known(request_id, ids) }
    : message;
}

/** Ids of hooks then and now, paired by their place in `initialize`. */
export function hookIds(
  then: JsonObject,
  now: JsonObject,
): readonly (readonly [string, string])[] {
  const before = registeredIds(then);
  const after = registeredIds(now);
  return [...before].flatMap(([place, id]) => {
    const current = after.get(place);
    return current === undefined ? [] : [[id, current] as const];
  });
}

/** Ids of hooks by event, matcher and place. */
function registeredIds(line: JsonObject): ReadonlyMap<string, string> {
  const hooks = fieldOf(line["request"], "hooks");
  const ids = new Map<string, string>();
  if (!isObject(hooks)) return ids;
  for (const [event, matchers] of Object.entries(hooks)) {
    for (const [index, matcher] of asList(matchers).entries()) {
      const list = isObject(matcher) ? asList(matcher["hookCallbackIds"]) : [];
      for (const [place, id] of list.entries()) {
        ids.set(`${event} ${index} ${place}`, String(id));
      }
    }
  }
  return ids;
}

function known(
  id: JsonValue | undefined,
  ids: ReadonlyMap<string, string>,
): JsonValue {
  return ids.get(String(id)) ?? id ?? null;
}

function fieldOf(part: JsonValue | undefined, name: string): unknown {
  return isObject(part) ? part[name] : undefined;
}
