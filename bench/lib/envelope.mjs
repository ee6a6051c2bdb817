// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// The check by hand that a message's envelope needs: the fields without which
// a consumer that switched on `type` would trip.
export const isObject = (v) =>
  typeof v === "object" && v !== null && !Array.isArray(v);

export function envelope(m) {
  if (!isObject(m) || typeof m.type !== "string") return false;
  switch (m.type) {
    case "stream_event":
      return isObject(m.event) && typeof m.event.type === "string" &&
        typeof m.session_id === "string";
    case "assistant":
    case "user": {
      if (!isObject(m.message)) return false;
      const c = m.message.content;
      if (typeof c === "string") return m.type === "user";
      if (!Array.isArray(c)) return false;
      for (let i = 0; i < c.length; i++) {
        if (!isObject(c[i]) || typeof c[i].type !== "string") return false;
      }
      return typeof m.session_id === "string";
    }
    case "system":
      return typeof m.subtype === "string";
    case "result":
      return typeof m.subtype === "string" && typeof m.is_error === "boolean" &&
        typeof m.session_id === "string";
    default:
      return true;
  }
}
