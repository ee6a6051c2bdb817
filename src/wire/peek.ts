import type { Piece } from "../stream/line_framer.ts";

const NEWLINE = 0x0a;
const CLOSING_BRACE = 0x7d;
const BACKSLASH = 0x5c;
const encoder = new TextEncoder();
const START = encoder.encode('{"type":"');
/** What follows the `s` of a system line, up to its subtype. */
const SYSTEM = encoder.encode('ystem","subtype":"');

const [A, B, C, E, I, N, R, S, T, Y] = encoder.encode("abceinrsty");

/**
 * Whether no line of a piece has to be seen before somebody wants it: no control line, no result, nothing about the
 * state of the session or its tasks, no line that may be joined with the next; no copy of what the CLI writes to disk
 * either, where somebody keeps it.
 *
 * Never wrongly true for a line that names no key twice. Looks at the first bytes of each line and at the last, and
 * makes no garbage: parsing to find out would cost what waiting unparsed is to save.
 */
export function mayWait({ head, body }: Piece, isMirrored = false): boolean {
  // Text instead of bytes is a line of megabytes: it is worth nothing to find out.
  if (typeof head === "string") return false;
  return (head === undefined || linesMayWait(head, isMirrored)) &&
    (body === undefined || linesMayWait(body, isMirrored));
}

function linesMayWait(bytes: Uint8Array, isMirrored: boolean): boolean {
  for (let from = 0;;) {
    const newline = bytes.indexOf(NEWLINE, from);
    const end = newline === -1 ? bytes.length : newline;
    if (!lineMayWait(bytes, from, end, isMirrored)) return false;
    if (newline === -1) return true;
    from = newline + 1;
  }
}

function lineMayWait(
  bytes: Uint8Array,
  from: number,
  end: number,
  isMirrored: boolean,
): boolean {
  if (bytes[end - 1] !== CLOSING_BRACE) return false;
  if (!startsWith(bytes, from, START)) return false;
  const at = from + START.length;
  switch (bytes[at]) {
    // control_..., command_lifecycle, result, or an escape for one of their letters.
    case C:
    case R:
    case BACKSLASH:
      return false;
    case S:
      return isQuietFrom(bytes, at + 1);
    // transcript_mirror, where a copy is kept.
    case T:
      return !isMirrored;
    default:
      return true;
  }
}

/** What follows the `s` of a type: another kind, or a system line that tells nothing about turns and tasks. */
function isQuietFrom(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] !== Y) return bytes[at] !== BACKSLASH;
  if (!startsWith(bytes, at, SYSTEM)) return false;
  const first = bytes[at + SYSTEM.length];
  const second = bytes[at + SYSTEM.length + 1];
  if (first === BACKSLASH || second === BACKSLASH) return false;
  // session_..., background_..., task_..., init
  return !(first === S && second === E) && !(first === B && second === A) &&
    !(first === T && second === A) && !(first === I && second === N);
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
