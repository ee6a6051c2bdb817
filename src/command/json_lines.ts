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
const SCALAR =
  // deno-lint-ignore no-control-regex -- JSON refuses them in a text
  /"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*"|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

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
    const value = read([]);
    skip();
    if (at < text.length) throw new Fault("text behind the end");
    return { value, duplicates, lineOf };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const fault = { line: line(), reason: error.message };
    return { fault, duplicates, lineOf };
  }

  function read(path: readonly string[]): JsonValue {
    skip();
    if (path.length > MOST_LEVELS) throw new Fault("nested too deeply");
    switch (text[at]) {
      case "{":
        return Object.fromEntries(list("}", () => {
          skip();
          const begins = line();
          if (text[at] !== '"') throw expected("a key in double quotes");
          const key = scalar() as string;
          const place = [...path, key];
          const id = JSON.stringify(place);
          if (lines.has(id)) duplicates.push({ key, line: begins });
          lines.set(id, begins);
          take(":");
          return [key, read(place)] as const;
        }));
      case "[":
        return list("]", (index) => {
          skip();
          const place = [...path, String(index)];
          lines.set(JSON.stringify(place), line());
          return read(place);
        });
      default:
        return scalar();
    }
  }

  function list<One>(end: string, one: (index: number) => One): One[] {
    const all: One[] = [];
    at++;
    skip();
    if (text[at] === end) {
      at++;
      return all;
    }
    for (;;) {
      all.push(one(all.length));
      skip();
      if (text[at] === end) {
        at++;
        return all;
      }
      take(",", `a comma or ${end}`);
      skip();
      if (text[at] === end) throw new Fault(`a comma before ${end}`);
    }
  }

  function scalar(): JsonValue {
    SCALAR.lastIndex = at;
    const [token] = SCALAR.exec(text) ?? [];
    if (token === undefined) throw expected("a value");
    at += token.length;
    return JSON.parse(token);
  }

  function take(sign: string, what = `"${sign}"`): void {
    skip();
    if (text[at] !== sign) throw expected(what);
    at++;
  }

  function skip(): void {
    SPACE.lastIndex = at;
    at += SPACE.exec(text)?.[0].length ?? 0;
  }

  function line(): number {
    return text.slice(0, at).split("\n").length;
  }

  /** The usual mistakes by their names. */
  function expected(what: string): Fault {
    const rest = text.slice(at);
    if (rest === "") return new Fault(`it ends where ${what} is expected`);
    if (/^(?:\/[/*]|#)/.test(rest)) return new Fault("JSON has no comments");
    if (/^(?:<{7}|={7}|>{7})/.test(rest)) return new Fault("a merge conflict");
    if (/^['\u2018-\u201f]/.test(rest)) {
      return new Fault('only " quotes a text');
    }
    if (rest.startsWith('"') && what !== "a comma or }") {
      return new Fault("a text that does not end, or a wrong escape in it");
    }
    return new Fault(`${what} is expected`);
  }
}
