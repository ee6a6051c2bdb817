import { cut } from "./text.ts";

/** Lines that a runtime prints around the reason: source position, stack frames, its own version. */
const AROUND: readonly RegExp[] = [
  /^\s/,
  /^\d+ \| /,
  /^[\s^~]*$/,
  /^[{}[\]]+$/,
  /^(?:file:|node:|\/|[A-Z]:\\)\S*:\d+$/,
  /^Traceback \(most recent call last\)/,
  /^Stack backtrace:/,
  /^(?:Node\.js|Bun) v\d/,
  /^npm (?:warn|notice)\b/i,
];

const MARK = /^\s*[\^~]+\s*$/;

const NAMES_AN_ERROR =
  /\b\w*(?:error|exception)\b|\b(?:fatal|panic(?:ked)?|cannot|denied|not found)\b/i;

// deno-lint-ignore no-control-regex -- colours of a terminal begin with one
const COLOURS = /\x1b\[[\d;]*m/g;

/**
 * The reason that an ended program gave, one line, cut.
 *
 * The first line that names an error; without one the last that says something. Empty when there was nothing.
 */
export function lastWords(stderr: string): string {
  const lines = stderr.replace(COLOURS, "").trim().split(/\r?\n/);
  const said = lines.filter((line, at) =>
    !AROUND.some((one) => one.test(line)) && !MARK.test(lines[at + 1] ?? "")
  );
  const words = said.find((line) => NAMES_AN_ERROR.test(line)) ??
    said.at(-1) ?? lines.at(-1) ?? "";
  return cut(words.trim());
}
