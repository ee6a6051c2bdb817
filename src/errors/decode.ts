/** Positions in a text, `end` excluded. */
export type Range = readonly [start: number, end: number];

/** JSON in JSON in a URL has three layers. */
const MOST_LAYERS = 4;

/** Percent-encoded UTF-8, the blank of a form, escapes of JSON and JavaScript, HTML entities, and line breaks with the indentation after them. */
const ESCAPE =
  /(%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|\+|\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[nrt]|\\[^a-z\d]|&#\d{1,7};|&#x[\da-f]{1,6};|&(?:amp|lt|gt|quot|apos);|[\r\n]\s*)/gi;

const NAMED: Readonly<Record<string, string>> = {
  ...{ "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"', "&apos;": "'" },
  ...{ "\\n": "", "\\r": "", "\\t": "\t", "+": " " },
};

/** A text as it is, then with one layer of escapes removed after the other. */
export function layersOf(
  text: string,
  most: number = MOST_LAYERS,
): readonly string[] {
  const decoded = text.replace(ESCAPE, decode);
  return most === 0 || decoded === text
    ? [text]
    : [text, ...layersOf(decoded, most - 1)];
}

/** Ranges of some texts within another, through any number of layers of escapes. */
export function rangesOf(
  wanted: readonly string[],
  text: string,
  most: number = MOST_LAYERS,
): readonly Range[] {
  const found: Range[] = [];
  for (const one of wanted) {
    let at = text.indexOf(one);
    while (at >= 0) {
      found.push([at, at + one.length]);
      at = text.indexOf(one, at + one.length);
    }
  }
  const decoded = text.replace(ESCAPE, decode);
  if (most === 0 || decoded === text) return found;
  const below = rangesOf(wanted, decoded, most - 1);
  return below.length === 0 ? found : [...found, ...encoded(below, text)];
}

/** Positions of decoded ranges before one layer of escapes was removed. */
function encoded(ranges: readonly Range[], text: string): readonly Range[] {
  const starts: number[] = [];
  const ends: number[] = [];
  let from = 0;
  for (const [index, piece] of text.split(ESCAPE).entries()) {
    const isEscape = index % 2 === 1;
    const { length } = isEscape ? decode(piece) : piece;
    for (let at = 0; at < length; at++) {
      starts.push(isEscape ? from : from + at);
      ends.push(isEscape ? from + piece.length : from + at + 1);
    }
    from += piece.length;
  }
  return ranges.map(([start, end]) => [starts[start] ?? 0, ends[end - 1] ?? 0]);
}

function decode(escape: string): string {
  const named = NAMED[escape.toLowerCase()];
  if (named !== undefined) return named;
  if (escape.startsWith("%")) return decodePercent(escape);
  const [, hex, decimal] =
    /^(?:\\[ux]\{?|&#x)([\da-f]+)|^&#(\d+)/i.exec(escape) ?? [];
  if (hex === undefined && decimal === undefined) {
    return escape.startsWith("\\") ? escape.slice(1) : "";
  }
  const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
