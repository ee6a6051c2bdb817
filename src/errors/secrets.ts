import { MOST_LEVELS, REDACTED } from "./text.ts";

/** Words that say by their end that a value is secret, also grown together with others: `PGPASSWORD`, `sshpass`. */
const TELLING_END =
  /(?:passw(?:or)?d|passphrase|pwd|secret|credential|token|cookie|bearer|auth|authorization|(?:access|ai|api|auth|client|encryption|license|master|private|secret|service|shared|signing|ssh|storage)key)s?$/;
/** Words that say so when they stand alone; `bypass` and `compass` are no passwords. */
const TELLING_WORD =
  /^(?:dsn|headers|jwt|keys?|otp|pat|pw)$|(?<!^by|^com|^over|^sur|^tres|^under)pass$/;
/** What comes last in a name that is about a secret and does not hold it: `apiKeyHelper`, `TOKEN_FILE`. */
const ABOUT: ReadonlySet<string> = new Set([
  ...["budget", "count", "dir", "enabled", "endpoint", "expires", "expiry"],
  ...["file", "helper", "length", "limit", "method", "mode", "name", "path"],
  ...["size", "sock", "source", "status", "ttl", "type", "uri", "url", "usage"],
]);
/** `MAX_OUTPUT_TOKENS` counts something; one token alone is a secret, `INPUT_GITHUB_TOKEN` too. */
const COUNTING: ReadonlySet<string> = new Set([
  ...["budget", "cache", "cached", "completion", "context", "count"],
  ...["creation", "input", "limit", "max", "min", "num", "output", "prompt"],
  ...["reasoning", "thinking", "total", "used"],
]);
/** Whole names that only look telling: directories of a shell, the number of a progress, the keys of anything. */
const PLAIN_NAME = /^(?:PWD|OLDPWD|progressToken|keys)$/;

/** Whether the name of a variable, flag, header or field says that its value is secret. */
export function isSecretName(name: string): boolean {
  if (PLAIN_NAME.test(name)) return false;
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    // TOKEN1
    .map((word) => word.replace(/\d+$/, ""))
    .filter((word) => word !== "");
  if (ABOUT.has(words.at(-1) ?? "")) return false;
  if (words.includes("tokens") && words.some((one) => COUNTING.has(one))) {
    return false;
  }
  return words.some((word) =>
    TELLING_WORD.test(word) || TELLING_END.test(word)
  ) || /connection_?string/.test(words.join("_"));
}

/** Whether what stands under a name is left out where it is shown: any variable may be secret, whatever it is called. */
function isHiddenName(name: string): boolean {
  return name === "env" || isSecretName(name);
}

/** Headers that everybody may see. */
const PUBLIC_HEADER =
  /^(?:accept(?:-\w+)?|cache-control|connection|content-\w+|host|mcp-protocol-version|origin|referer|user-agent)$/i;

/** Where a part of a value stands. */
export interface Place {
  /** Whether a name above it says that it is secret. */
  readonly isSecret: boolean;
  /** The name right above it. */
  readonly place: string;
}

/** Whether a part of an object is secret, by its name and those above it; which names tell may be said. */
export function isSecretPart(
  name: string,
  part: unknown,
  { isSecret, place }: Place,
  tells: (name: string) => boolean = isSecretName,
): boolean {
  if (place === "headers" && PUBLIC_HEADER.test(name)) return false;
  const isSchema = holdsSchemas(place) && typeof part === "object";
  return isSecret || !isSchema && tells(name);
}

/** Whether the names under a name are those of a schema: `properties.password` holds no password. */
function holdsSchemas(name: string): boolean {
  return name === "properties" || name === "definitions" || name === "$defs";
}

/** A key that was made at random: letters and digits in a row, which versions, ids and model names have no such of. */
const RANDOM = /(?<![A-Za-z0-9])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[A-Za-z0-9]{16,}/;
/** Directories may have such a name. */
const PATH = /^(?:[.~]{0,2}[\\/]|[A-Za-z]:[\\/])/;

/** Whether a text looks like a key. */
export function looksRandom(text: string): boolean {
  return RANDOM.test(text) && !PATH.test(text);
}

/** Secrets that show by themselves, wherever they come from. */
const WELL_KNOWN: readonly (readonly [form: RegExp, shown?: string])[] = [
  [/\bsk-[\w-]{8,}/g],
  [/\b[rs]k_(?:live|test)_\w{8,}/g],
  [/\b(?:gh[a-z]|github_pat|xox[a-z]|glpat|npm|hf)[_-][\w-]{10,}/g],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g],
  [/\bAIza[\w-]{30,}/g],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g],
  // One that was cut has no end.
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^]*?-----END [A-Z ]*PRIVATE KEY-----|[^]*)/g,
  ],
  // Prose has no digit, and no dot in a word; a challenge names its parameters.
  [
    /\b(Bearer|Basic)\s+(?!\w+="?[^\s=])(?=\S*(?:\d|[._~+/=-]\w))[\w.~+/=-]{8,}/gi,
    `$1 ${REDACTED}`,
  ],
  // The user information of a URL, as in the address of a proxy.
  [/:\/\/[^\s/@"]{1,512}@/g, `://${REDACTED}@`],
];
/** What every one of these holds, and most short texts do not. */
const SUSPICIOUS = /[-_=]|:\/\/|A(?:KIA|SIA|Iza)|eyJ|\b(?:bearer|basic)\s/i;
/** `?api_key=abc` */
const QUERY_VALUE = /([?&]([\w.-]+)=)([^&#\s"'<>]+)/g;
/** What else a query calls a secret. */
const QUERY_NAME = /^(?:x-amz-)?(?:code|sig|signature)$/i;

/** A text without the secrets that show by themselves. */
export function looksScrubbed(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let clean = text;
  for (const [form, shown = REDACTED] of WELL_KNOWN) {
    clean = clean.replace(form, shown);
  }
  return clean.includes("=")
    ? clean.replace(
      QUERY_VALUE,
      (whole, start: string, name: string) =>
        isSecretQuery(name) ? start + REDACTED : whole,
    )
    : clean;
}

/** Whether the name of a part of a query says that its value is secret. */
export function isSecretQuery(name: string): boolean {
  return QUERY_NAME.test(name) || isSecretName(name);
}

/** Takes the secrets that are known out of a text. */
export type Scrub = (text: string) => string;

/** A list, or an object without a class: data, and nothing that lives. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Flags whose value is a header. */
const HEADER_FLAG = /^(?:H|header)$/;

/** An argument as it may be shown, and the secrets that were in it. */
interface ShownArgument {
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

/**
 * A value as it may stand in logs, errors and recordings: every text under a telling name is left out, at any depth, and so are
 * keys that show by themselves. What is too deep, or holds itself, is left out as a whole.
 */
export function withoutSecrets<Value>(value: Value): Value {
  return redacted(value, START) as Value;
}

/** Options that hold a command line. */
const ARGUMENTS = /^(?:args|cliPath|extraArgs)$/;
/** A number with fewer digits is no secret. */
const SHORTEST_NUMBER = 6;

/** The value of an option as it may stand in an error. */
export function shownOption(key: string, value: unknown): unknown {
  const names = key.replaceAll("[", ".").split(".");
  const isSecret = names.some((name, at) =>
    !holdsSchemas(names[at - 1] ?? "") && isHiddenName(name)
  );
  // One argument does not say what stood before it.
  const isArgument = /(?:^|\.)(?:args|cliPath)\[\d+\]$/.test(key);
  // A text in the place of a server may be its command line.
  const isServer = /(?:^|\.)mcpServers(?:\.[^.]+)?$/.test(key);
  const isDocument = typeof value === "string" && (isServer || isInline(value));
  // Whatever it was meant for, it may have got into the wrong option.
  const isRandom = typeof value === "string" && looksRandom(value);
  return isSecret || isArgument || isDocument || isRandom
    ? hidden(value)
    : redacted(value, { ...START, place: names.at(-1) ?? "", isOption: true });
}

function hidden(value: unknown): unknown {
  const isText = typeof value === "string" && value !== "";
  const isNumber = (typeof value === "number" || typeof value === "bigint") &&
    String(value).length >= SHORTEST_NUMBER;
  return isText || isNumber || (typeof value === "object" && value !== null)
    ? REDACTED
    : value;
}

interface OpenPlace extends Place {
  /** The objects round it. */
  readonly open: readonly object[];
  /** Whether it is part of an option, which may be of any type. */
  readonly isOption: boolean;
}

const START: OpenPlace = {
  isSecret: false,
  place: "",
  open: [],
  isOption: false,
};

/** The same value when nothing in it is secret. */
function redacted(value: unknown, where: OpenPlace): unknown {
  const { isSecret, place, open, isOption } = where;
  if (isOption && ARGUMENTS.test(place) && !Array.isArray(value)) {
    return hidden(value);
  }
  if (typeof value === "string") {
    return isSecret && value !== "" ? REDACTED : looksScrubbed(value);
  }
  if (value instanceof URL) {
    const text = looksScrubbed(value.href);
    return text === value.href ? value : text;
  }
  if (!isPlain(value)) {
    const isObject = typeof value === "object" && value !== null;
    return isSecret && isObject ? REDACTED : value;
  }
  if (open.length === MOST_LEVELS || open.includes(value)) return REDACTED;
  const inside = { ...where, open: [...open, value] };
  if (Array.isArray(value)) {
    const isCommand = isOption && ARGUMENTS.test(place) ||
      value.every((one) => typeof one === "string");
    const items = isCommand && !isSecret ? withoutArguments(value) : value;
    // A text of a command line was looked at with those before it.
    const ofText = { ...inside, isOption: false };
    return sameOr(
      value,
      items.map((one) =>
        redacted(one, typeof one === "string" ? ofText : inside)
      ),
    );
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const isTold = isSecretPart(name, part, where, isHiddenName);
    return [name, redacted(part, { ...inside, isSecret: isTold, place: name })];
  });
  return sameOr(value, Object.fromEntries(parts));
}

/** A command line; what is no text in it is hidden after a flag that tells. */
function withoutArguments(list: readonly unknown[]): readonly unknown[] {
  const texts = list.map((one) => typeof one === "string" ? one : "");
  return redactCommand(texts).map((shown, at) =>
    shown === texts[at] ? list[at] : shown
  );
}

function sameOr(before: object, after: object): object {
  const isSame = Object.entries(after)
    .every(([name, part]) => Reflect.get(before, name) === part);
  return isSame ? before : after;
}
