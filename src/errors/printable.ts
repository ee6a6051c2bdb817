/** A text that can do nothing to a terminal, on one line: control and invisible characters are spelled out. */
export function printable(text: string): string {
  // The classes below take a runtime milliseconds to look up, the first time.
  if (/^[ -~]*$/.test(text)) return text;
  return text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, spellOut);
}

/** A text of several lines that can do nothing else to a terminal: no escape, nothing that turns the direction of writing. */
export function printableLines(text: string): string {
  return text.replace(
    /(?![\n\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu,
    spellOut,
  );
}

/** A character by its number: `\u{1b}`. */
export function spellOut(one: string): string {
  return `\\u{${one.codePointAt(0)?.toString(16)}}`;
}
