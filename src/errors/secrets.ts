import { MOST_LEVELS, REDACTED } from "./text.ts";
import {
  holdsSchemas,
  isHiddenName,
  isSecretPart,
  isSecretQuery,
  type Place,
} from "./secret_names.ts";
import { isInline, redactCommand, redactPath } from "./command_line.ts";

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

/** Takes the secrets that are known out of a text. */
export type Scrub = (text: string) => string;

/** A list, or an object without a class: data, and nothing that lives. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
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
