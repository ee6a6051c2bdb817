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

const LONGEST_SECRET_NAME = 200;

/** Whether the name of a variable, flag, header or field says that its value is secret. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_SECRET_NAME || PLAIN_NAME.test(name)) return false;
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
const RANDOM =
  /(?<![A-Za-z0-9])(?=[A-Za-z]{0,1000}\d)(?=\d{0,1000}[A-Za-z])[A-Za-z0-9]{16}/;
/** Directories may have such a name. */
const PATH = /^(?:[.~]{0,2}[\\/]|[A-Za-z]:[\\/])/;

/** Whether a text looks like a key. */
export function looksRandom(text: string): boolean {
  return RANDOM.test(text) && !PATH.test(text);
}

/** Patterns of keys and tokens; without an upper bound a regular expression needs stack, or time, for hostile texts. */
const KNOWN_PATTERNS: readonly (readonly [pattern: RegExp, shown?: string])[] =
  [
    // Behind an escape no word begins.
    [
      /(?<=\\[bfnrt]|\\u[\da-f]{4}|%[\dA-F]{2}|\b)(?:sk-[\w-]{8,10000}|[rs]k_(?:live|test)_\w{8,10000}|(?:gh[a-z]|github_pat|xox[a-z]|glpat)[_-][\w-]{10,10000}|(?:npm|hf)_[A-Za-z\d]{30,10000}|A(?:KIA|SIA)[A-Z0-9]{16}\b|AIza[\w-]{30,10000})/g,
    ],
    [
      /(?<=\\[bfnrt]|\\u[\da-f]{4}|%[\dA-F]{2}|(?<![\w-]))eyJ[\w-]{8,10000}\.[\w-]{8,10000}\.[\w-]{8,10000}/g,
    ],
    // One that was cut has no end.
    [
      /-----BEGIN [A-Z ]{0,50}PRIVATE KEY-----(?:[^]*?-----END [A-Z ]{0,50}PRIVATE KEY-----|[^]*)/g,
    ],
    // Prose has no digit, and no dot in a word; a challenge names its parameters.
    [
      /\b(Bearer|Basic)\s{1,100}(?!\w{1,100}="?[^\s=])(?=\S{0,10000}(?:\d|[._~+/=-]\w))[\w.~+/=-]{8,10000}/gi,
      `$1 ${REDACTED}`,
    ],
    // The user information of a URL, as in the address of a proxy.
    [/:\/\/[^\s/@"]{1,512}@/g, `://${REDACTED}@`],
  ];
/** All of them contain one of these, most short texts none. */
const SUSPICIOUS = /[-_=]|:\/\/|A(?:KIA|SIA|Iza)|eyJ|\b(?:bearer|basic)\s/i;
/** `?api_key=abc` */
const QUERY_VALUE = /([?&]([\w.-]{1,100})=)([^&#\s"'<>]{1,10000})/g;
/** What else a query calls a secret. */
const QUERY_NAME = /^(?:x-amz-)?(?:code|sig|signature)$/i;

/** A text without the secrets that show by themselves. */
export function redactKnownPatterns(text: string): string {
  if (!SUSPICIOUS.test(text)) return text;
  let clean = text;
  for (const [pattern, shown = REDACTED] of KNOWN_PATTERNS) {
    clean = clean.replace(pattern, shown);
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
    if (flag === null) return redactAssignment(argument);
    const isSecret = HEADER_FLAG.test(name) || isSecretName(name);
    if (value === undefined) {
      isValueSecret = isSecret;
      return { shown: argument, secrets: [] };
    }
    const { shown, secrets } = isSecret || isInline(value)
      ? { shown: REDACTED, secrets: [value] }
      : redactAssignment(value);
    return { shown: argument.slice(0, -value.length) + shown, secrets };
  });
}

/** A document itself, not the path of one. */
export function isInline(value: string): boolean {
  return /^[[{]/.test(/\S/.exec(value)?.[0] ?? "");
}

/** `NAME=value`, as containers accept it. */
export function redactAssignment(text: string): ShownArgument {
  const [, name = "", value = ""] = /^([\w.-]{1,100})=([^]+)$/.exec(text) ?? [];
  // Here PWD is no directory.
  return [name, name.toLowerCase()].some(isSecretName)
    ? { shown: `${name}=${REDACTED}`, secrets: [value] }
    : { shown: text, secrets: [] };
}

/**
 * A value as it may stand in logs, errors and recordings: every text under a telling name is left out, at any depth, and so are
 * keys that show by themselves. What is too deep, or holds itself, is left out as a whole.
 */
export function withoutSecrets<Value>(value: Value): Value {
  return redacted(value, START) as Value;
}

/** A command line, or one argument, which does not say what stood before it. */
const COMMAND_KEY = /(?:^|\.)(?:args|cliPath|extraArgs)(?:\[\d+\])?$/;
/** A text in the place of a server may be its command line. */
const SERVER_KEY = /(?:^|\.)mcpServers(?:\.[^.]+)?$/;
/** A number with fewer digits is no secret. */
const SHORTEST_NUMBER = 6;

/** The value of an option as it may stand in an error. */
export function shownOption(key: string, value: unknown): unknown {
  const names = key.replaceAll("[", ".").split(".");
  const isSecret = COMMAND_KEY.test(key) ||
    names.some((name, at) =>
      !holdsSchemas(names[at - 1] ?? "") && isHiddenName(name)
    );
  const isSecretText = typeof value === "string" &&
    // Whatever it was meant for, it may have got into the wrong option.
    (SERVER_KEY.test(key) || isInline(value) || looksRandom(value));
  return isSecret || isSecretText
    ? hidden(value)
    : redacted(value, { ...START, place: names.at(-1) ?? "" });
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
  /** The objects around it. */
  readonly open: readonly object[];
}

const START: OpenPlace = { isSecret: false, place: "", open: [] };

/** The same value when nothing in it is secret. */
function redacted(value: unknown, where: OpenPlace): unknown {
  const { isSecret, place, open } = where;
  if (typeof value === "string") {
    if (isSecret && value !== "") return REDACTED;
    return redactKnownPatterns(place === "args" ? redactPath(value) : value);
  }
  if (value instanceof URL) {
    const text = redactKnownPatterns(value.href);
    return text === value.href ? value : text;
  }
  if (!isPlain(value)) {
    const isObject = typeof value === "object" && value !== null;
    return isSecret && isObject ? REDACTED : value;
  }
  if (open.length === MOST_LEVELS || open.includes(value)) return REDACTED;
  const inside = { ...where, open: [...open, value] };
  if (Array.isArray(value)) {
    const texts = value.map((one) => typeof one === "string" ? one : "");
    const isCommand = place === "args" ||
      value.every((one) => typeof one === "string");
    // Whatever stands behind a telling flag is hidden.
    const items = isCommand && !isSecret
      ? redactCommand(texts)
        .map((shown, at) => shown === texts[at] ? value[at] : shown)
      : value;
    // A text of a command line was redacted with those before it.
    const below = isCommand ? { ...inside, place: "" } : inside;
    return sameOr(value, items.map((one) => redacted(one, below)));
  }
  const parts = Object.entries(value).map(([name, part]) => {
    const isTold = isSecretPart(name, part, where, isHiddenName);
    return [name, redacted(part, { ...inside, isSecret: isTold, place: name })];
  });
  return sameOr(value, Object.fromEntries(parts));
}

function sameOr(before: object, after: object): object {
  const isSame = Object.entries(after)
    .every(([name, part]) => Reflect.get(before, name) === part);
  return isSame ? before : after;
}
