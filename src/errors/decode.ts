/** A text with one layer of its escapes removed, and the way back to where each part stood. */
export interface DecodedText {
  readonly text: string;
  /** The range of the original text that a range of this one was decoded from. */
  readonly toSource: (from: number, to: number) => SourceRange;
}

/** Positions in a text, `end` excluded. */
export type SourceRange = readonly [start: number, end: number];

/** JSON in JSON in a URL has three layers. */
const MOST_LAYERS = 4;

/** Percent-encoded UTF-8, escapes of JSON and JavaScript, HTML entities, and line breaks with the indentation after them. */
const ESCAPE =
  /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}|\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\[nrt]|\\[^a-z\d]|&#\d{1,7};|&#x[\da-f]{1,6};|&(?:amp|lt|gt|quot|apos);|[\r\n]\s*/gi;

const NAMED: Readonly<Record<string, string>> = {
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" },
  ...{ n: "", r: "", t: "\t" },
};

/** A text as it is, then with one layer of escapes removed after the other; takes time in proportion to its length. */
export function* layersOf(text: string): Generator<DecodedText> {
  let layer: DecodedText = { text, toSource: (from, to) => [from, to] };
  yield layer;
  for (let count = 0; count < MOST_LAYERS; count++) {
    const { text: before, toSource } = layer;
    const { text, toSource: toBefore } = decodeOnce(before);
    if (text === before) return;
    layer = {
      text,
      toSource: (from, to) => toSource(...toBefore(from, to)),
    };
    yield layer;
  }
}

function decodeOnce(escaped: string): DecodedText {
  const source = escaped.replaceAll("+", " ");
  /** Of each escape: where its characters stand, how many there are, where it stood, how long it was. */
  const escapes: number[] = [];
  let text = "";
  let end = 0;
  for (const { 0: escape, index } of source.matchAll(ESCAPE)) {
    text += source.slice(end, index);
    const decoded = decode(escape);
    escapes.push(text.length, decoded.length, index, escape.length);
    text += decoded;
    end = index + escape.length;
  }
  text += source.slice(end);

  function sourceOf(at: number): SourceRange {
    let before = 0;
    let behind = escapes.length / 4;
    while (before < behind) {
      const middle = (before + behind) >> 1;
      if ((escapes[4 * middle] ?? 0) <= at) before = middle + 1;
      else behind = middle;
    }
    if (before === 0) return [at, at + 1];
    const [from = 0, length = 0, start = 0, size = 0] = escapes
      .slice(4 * before - 4, 4 * before);
    const past = at - from - length;
    if (past < 0) return [start, start + size];
    return [start + size + past, start + size + past + 1];
  }

  const toSource = (from: number, to: number): SourceRange => [
    sourceOf(from)[0],
    sourceOf(to - 1)[1],
  ];
  return { text, toSource };
}

function decode(escape: string): string {
  switch (escape[0]) {
    case "%":
      return decodePercent(escape);
    case "&":
      return NAMED[escape.slice(1, -1).toLowerCase()] ??
        character(escape.replace("#x", "#0x").slice(2, -1));
    case "\\":
      return NAMED[escape.slice(1).toLowerCase()] ??
        (escape.length === 2
          ? escape.slice(1)
          : character(`0x${escape.slice(2).replace(/[{}]/g, "")}`));
    default:
      return "";
  }
}

function character(code: string): string {
  const number = Number(code);
  return number <= 0x10ffff ? String.fromCodePoint(number) : "\ufffd";
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
