import type { Piece } from "../stream/line_framer.ts";

const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;
const encoder = new TextEncoder();
const START = encoder.encode('{"type":"');
/** A system line whose subtype begins otherwise tells nothing about the state of the session. */
const SYSTEM = encoder.encode('ystem","subtype":"');

const [CONTROL, RESULT, SYSTEM_INITIAL, A, B, E, S] = encoder.encode("crsabes");

/**
 * Whether no line of a piece has to be seen before somebody wants it: no control line, no result, nothing about the
 * state of the session, no line that may be joined with the next.
 *
 * Never wrongly true. Looks at the first bytes of each line and at the last, and makes no garbage: parsing to find out
 * would cost what waiting unparsed is to save.
 */
export function mayWait({ head, body }: Piece): boolean {
  // Text instead of bytes is a line of megabytes: it is worth nothing to find out.
  if (typeof head === "string") return false;
  return (head === undefined || linesMayWait(head)) &&
    (body === undefined || linesMayWait(body));
}

function linesMayWait(bytes: Uint8Array): boolean {
  for (let from = 0;;) {
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline === -1 ? bytes.length : newline;
    if (!lineMayWait(bytes, from, end)) return false;
    if (newline === -1) return true;
    from = newline + 1;
  }
}

function lineMayWait(bytes: Uint8Array, from: number, end: number): boolean {
  if (bytes[end - 1] !== CLOSING_BRACE) return false;
  if (!startsWith(bytes, from, START)) return false;
  const at = from + START.length;
  const initial = bytes[at];
  if (initial === CONTROL || initial === RESULT) return false;
  if (initial !== SYSTEM_INITIAL || bytes[at + 1] !== SYSTEM[0]) return true;
  if (!startsWith(bytes, at + 1, SYSTEM)) return false;
  const subtype = at + 1 + SYSTEM.length;
  const [first, second] = [bytes[subtype], bytes[subtype + 1]];
  // session_..., background_...
  return !(first === S && second === E) && !(first === B && second === A);
}

function startsWith(
  bytes: Uint8Array,
  from: number,
  text: Uint8Array,
): boolean {
  for (let i = 0; i < text.length; i++) {
    if (bytes[from + i] !== text[i]) return false;
  }
  return true;
}
