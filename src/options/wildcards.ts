/** The source of a regular expression for a text as it is. */
export function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** A pattern whose stars stand for any text. */
export function wildcard(pattern: string): RegExp {
  const source = pattern.split(/\*+/).map(literal).join(".*");
  return new RegExp(`^${source}$`, "s");
}
