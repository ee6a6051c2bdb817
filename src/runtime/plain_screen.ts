import { isSilentTerminal } from "./shown_report.ts";

/** Modes that other programs, or files that were printed, may have left behind. */
const PLAIN = [
  // Rows that scroll: all. This moves the cursor, which is put back.
  "\x1b7\x1b[r\x1b8",
  // Margins at the left and right, insertion, a line feed with each return: off. Lines that wrap: on.
  "\x1b[?69l\x1b[4l\x1b[20l\x1b[?7h",
  // Reports of focus and mouse come as keys.
  "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1004l",
  // Colours, hidden text, letters of line drawings.
  "\x1b[0m\x1b(B\x0f",
].join("");

/** Puts a terminal into the state in which a question is seen as it is written; nothing where no such codes are obeyed. */
export function plainScreen(): string {
  return isSilentTerminal() ? "" : PLAIN;
}
