import process from "node:process";
import { isGranted } from "./host.ts";

/** Longest wait for the reports of a terminal, in milliseconds: it is made of short ones, so that a program that was held up does not miss them. */
const LONGEST_MS = 3_000;
const SHORT_MS = 200;
/** Places that it reports: together they cannot be guessed. */
const PLACES = 3;
const USUAL_SIZE = { columns: 80, rows: 24 };
// deno-lint-ignore no-control-regex -- the beginning of a report
const BEGUN_REPORT = /\x1b(?:\[[\d;]*)?$/;

let isSilent: boolean | undefined;
const listeners = new Set<() => void>();

/** Whether the terminal does not report what it has drawn: then a single key is too little for a yes. */
export function isSilentTerminal(): boolean {
  return isSilent ??= isGranted({ name: "env" }) &&
    process.env["TERM"] === "dumb";
}

/** Calls back when a question has to be shown again because its reports did not come. */
export function onLostReports(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Has the question shown again. */
export function loseReports(cause: "silence" | "interrupt" | "paste"): void {
  if (cause === "silence") isSilent = true;
  for (const listener of listeners) listener();
}

/** Reports of a terminal that it has drawn everything up to a request. */
export interface Reports {
  /** Written behind a question. The cursor stays where it is. */
  readonly request: string;
  /**
   * Takes input.
   *
   * @returns The keys before the last report; those behind it once that has come
   */
  take(text: string): { readonly before: string; readonly after?: string };
  /** Input that was held back, since it may have become a report. */
  rest(): string;
}

/** Asks a terminal for reports that cannot be typed or pasted ahead: the cursor is at places chosen at random. */
export function reportsOf(
  size: { readonly columns?: number; readonly rows?: number } | undefined,
): Reports {
  const columns = size?.columns || USUAL_SIZE.columns;
  const rows = size?.rows || USUAL_SIZE.rows;
  const numbers = crypto.getRandomValues(new Uint32Array(2 * PLACES));
  const places = Array.from({ length: PLACES }, (_, at) => {
    const row = 1 + (numbers[2 * at] ?? 0) % rows;
    return `${row};${1 + (numbers[2 * at + 1] ?? 0) % columns}`;
  });
  const moves = places.map((place) => `\x1b[${place}H\x1b[6n`).join("");
  const missing = places.map((place) => `\x1b[${place}R`);
  let open = "";
  return {
    request: `\x1b7${moves}\x1b8`,
    take(text) {
      open += text;
      let before = "";
      for (let [next] = missing; next !== undefined; [next] = missing) {
        const at = open.indexOf(next);
        if (at < 0) break;
        before += open.slice(0, at);
        open = open.slice(at + next.length);
        missing.shift();
      }
      const isComplete = missing.length === 0;
      const begun = isComplete ? open : BEGUN_REPORT.exec(open)?.[0] ?? "";
      before += open.slice(0, open.length - begun.length);
      open = isComplete ? "" : begun;
      return isComplete ? { before, after: begun } : { before };
    },
    rest() {
      const rest = open;
      open = "";
      return rest;
    },
  };
}

/** Calls back when reports do not come in time; the returned function ends the wait. */
export function whenLate(late: () => void): () => void {
  let left = LONGEST_MS / SHORT_MS;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    late();
  }, SHORT_MS);
  return () => clearInterval(timer);
}

/** A line without what was typed before a late report. */
export function afterReports(line: string): string {
  // deno-lint-ignore no-control-regex -- reports are escape sequences
  return line.replace(/^.*\x1b\[\d+;\d+R/s, "");
}

/** Keys without late reports. */
export function withoutReports(text: string): string {
  // deno-lint-ignore no-control-regex -- reports are escape sequences
  return text.replace(/\x1b\[\d+;\d+R/g, "");
}
