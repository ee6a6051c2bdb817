import { isSecretName } from "./secrets.ts";
import { REDACTED } from "./text.ts";

/** Flags whose value is a header. */
const HEADER_FLAG = /^(?:H|header)$/;

/** An argument as it may be shown, and the secrets that were in it. */
export interface ShownArgument {
  readonly shown: string;
  readonly secrets: readonly string[];
}

/** An assignment in a row that semicolons divide, as those for ODBC, ADO and JDBC. */
const BEFORE_SEMICOLON =
  /\s*(\w[\w .-]{0,60}?)\s*=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|\{[^}]*\}|[^;]*?)\s*(?:;|$)\s*/dy;
/** One in a row that blanks divide, as that of libpq. */
const BEFORE_BLANK = /\s*(\w+)\s*=\s*('(?:\\[^]|[^'\\])*'|\S+)(?:\s+|$)/dy;

/** A command line in which values of flags and variables with telling names are left out. */
export function redactCommand(args: readonly string[]): string[] {
  return walkArguments(args).map(({ shown }) => shown);
}

/** A path as it may be shown; a whole command line may stand in its place. */
export function redactPath(path: string): string {
  const parts = path.split(/(\s+|[\\/](?=-))/);
  const words = redactCommand(parts.filter((_, at) => at % 2 === 0));
  return parts.map((part, at) => at % 2 === 0 ? words[at / 2] : part).join("");
}

/** A command line for people: quoted where it must be, never to be run. */
export function showCommand(command: readonly string[]): string {
  return command
    .map((one) => /^[\w@%+=:,.\\/[\]-]+$/.test(one) ? one : JSON.stringify(one))
    .join(" ");
}

/** Finds the secrets of a command line by the names that stand before them. */
export function walkArguments(args: readonly string[]): ShownArgument[] {
  let isValueSecret = false;
  return args.map((argument) => {
    const flag = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(argument);
    const [, name = "", value] = flag ?? [];
    const isValue = flag === null ||
      (isValueSecret && !argument.startsWith("--"));
    // A document may hold anything.
    if (isValue && (isValueSecret || isInline(argument))) {
      isValueSecret = false;
      return { shown: REDACTED, secrets: [argument] };
    }
    isValueSecret = false;
    if (flag === null) return redactAssignments(argument);
    const isSecret = HEADER_FLAG.test(name) || isSecretName(name);
    if (value === undefined) {
      isValueSecret = isSecret;
      return { shown: argument, secrets: [] };
    }
    const { shown, secrets } = isSecret || isInline(value)
      ? { shown: REDACTED, secrets: [value] }
      : redactAssignments(value);
    return { shown: argument.slice(0, -value.length) + shown, secrets };
  });
}

/** A document itself, not the path of one. */
export function isInline(value: string): boolean {
  return /^\s*[[{]/.test(value);
}

/** `NAME=value`, as containers take it, or a row of such, as databases do. */
export function redactAssignments(text: string): ShownArgument {
  if (!text.includes("=")) return { shown: text, secrets: [] };
  const [, name = "", value = ""] = /^(\w+)=([^]+)$/.exec(text) ?? [];
  const whole: Assignment = { value, at: [name.length + 1, text.length] };
  const divided = text.includes(";") ? secretsOf(text, BEFORE_SEMICOLON) : [];
  const hidden = [
    ...isSecretName(name) ? [whole] : [],
    ...divided.length > 0 ? divided : secretsOf(text, BEFORE_BLANK),
  ];
  let shown = "";
  let end = 0;
  for (const { at: [from, to] } of hidden) {
    // They may overlap.
    if (from >= end) shown += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return {
    shown: shown + text.slice(end),
    secrets: hidden.flatMap(({ value }) => contentsOf(value)),
  };
}

/** A secret value, and where it stands. */
interface Assignment {
  readonly value: string;
  readonly at: readonly [from: number, to: number];
}

/** The secrets in a text that holds nothing but assignments, and perhaps an address in front of them. */
function secretsOf(text: string, pattern: RegExp): readonly Assignment[] {
  const row: Assignment[] = [];
  let from = /^[^\s;=]+;/.exec(text)?.[0].length ?? 0;
  while (from < text.length) {
    pattern.lastIndex = from;
    const found = pattern.exec(text);
    const at = found?.indices?.[2];
    if (found === null || at === undefined) return [];
    const [, name = "", value = ""] = found;
    // Here PWD is no directory.
    if (isSecretName(name) || isSecretName(name.toLowerCase())) {
      row.push({ value, at });
    }
    from = pattern.lastIndex;
  }
  return row;
}

/** A value as it stands there, and without its quotes, in which some signs are written as two. */
function contentsOf(value: string): readonly string[] {
  const [, quote = "", content = ""] = /^(["'{])([^]*)["'}]$/.exec(value) ?? [];
  return quote === "" ? [value] : [
    ...[value, content, content.replaceAll(quote + quote, quote)],
    content.replace(/\\([^])/g, "$1"),
  ];
}
