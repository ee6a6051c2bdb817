/** Cuts a text into that many pieces, or after each blank; a text always gives at least one. */
export function cut(text: string, pieces?: number): readonly string[] {
  if (pieces === undefined) return text.match(/\S*\s+|\S+/g) ?? [text];
  const size = Math.max(1, Math.ceil(text.length / Math.max(1, pieces)));
  const all: string[] = [];
  for (let at = 0; at < text.length; at += size) {
    all.push(text.slice(at, at + size));
  }
  return all.length === 0 ? [""] : all;
}

/** The beginning of a text, with a mark where it was cut. */
export function shorten(text: string, length = 60): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
