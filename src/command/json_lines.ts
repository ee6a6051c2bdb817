import { MOST_LEVELS } from "../errors/text.ts";
import type { JsonValue } from "../types/json.ts";

/** JSON with the lines of its keys, or the place where it breaks. */
export interface JsonLines {
  /** The value; absent where the text is not JSON. */
  readonly value?: JsonValue;
  /** The first mistake. */
  readonly fault?: { readonly line: number; readonly reason: string };
  /** Keys that their object holds twice: the later one wins. */
  readonly duplicates: readonly {
    readonly key: string;
    readonly line: number;
  }[];
  /** The line of a key, by its path, or that of the nearest object around it. */
  lineOf(path: readonly string[]): number;
}

const SPACE = /[ \t\n\r]*/y;
const TOKEN =
  // deno-lint-ignore no-control-regex -- JSON refuses them in a text
  /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]/y;

class Fault extends Error {}

/** Reads JSON; runtimes name no line for a mistake, or each in another way. */
export function readJsonLines(source: string): JsonLines {
  // The CLI skips a byte order mark as well.
  const text = source.replace(/^\ufeff/, "");
  const lines = new Map<string, number>();
  const duplicates: { key: string; line: number }[] = [];
  let at = 0;
  const lineOf = (path: readonly string[]): number =>
    lines.get(JSON.stringify(path)) ??
      (path.length === 0 ? 1 : lineOf(path.slice(0, -1)));
  try {
    read([]);
    peek();
    if (at < text.length) throw new Fault("text behind the end");
    return { value: JSON.parse(text), duplicates, lineOf };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fault = { line: line(), reason: error.message };
    return { fault, duplicates, lineOf };
  }

  function read(path: readonly string[]): void {
    const first = take("a value", /^["{[\d\-tfn]/);
    if (first !== "{" && first !== "[") return;
    if (path.length > MOST_LEVELS) throw new Fault("nested too deeply");
    const end = first === "{" ? "}" : "]";
    for (let index = 0; peek() !== end; index++) {
      let key = String(index);
      const begins = line();
      if (end === "}") {
        key = JSON.parse(take("a key in double quotes", /^"/));
        take('":"', /^:/);
      }
      const place = [...path, key];
      const id = JSON.stringify(place);
      if (lines.has(id)) duplicates.push({ key, line: begins });
      lines.set(id, begins);
      read(place);
      if (peek() === end) break;
      take(`a comma or ${end}`, /^,/);
      if (peek() === end) throw new Fault(`a comma before ${end}`);
    }
    at++;
  }

  /** The token at hand, behind what separates it from the one before. */
  function peek(): string {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
    TOKEN.lastIndex = at;
    return TOKEN.exec(text)?.[0] ?? "";
  }

  function take(what: string, accepted: RegExp): string {
    const token = peek();
    if (!accepted.test(token)) throw new Fault(mistakeIn(text.slice(at), what));
    at += token.length;
    return token;
  }

  function line(): number {
    return text.slice(0, at).split("\n").length;
  }
}

/** The usual mistakes by their names. */
function mistakeIn(rest: string, expected: string): string {
  if (rest === "") return `it ends where ${expected} is expected`;
  if (/^(?:\/[/*]|#)/.test(rest)) return "JSON has no comments";
  if (/^(?:<{7}|={7}|>{7})/.test(rest)) return "a merge conflict";
  if (/^['\u2018-\u201f]/.test(rest)) return 'only " quotes a text';
  return `${expected} is expected`;
}
