import { isInline, redactCommand, redactPath } from "./command_line.ts";
import { holdsSchemas, mapData, type Visitor } from "./places.ts";
import { isHiddenName, isSecretQuery } from "./secret_names.ts";
import { REDACTED } from "./text.ts";

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

/**
 * A value as it may stand in logs, errors and recordings: every text under a telling name is left out, at any depth, and so are
 * keys that show by themselves. What is too deep, or holds itself, is left out as a whole.
 */
export function withoutSecrets<Value>(value: Value): Value {
  return mapData(value, REDACTION) as Value;
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
    : mapData(value, REDACTION, { isSecret: false, place: names.at(-1) ?? "" });
}

function hidden(value: unknown): unknown {
  const isText = typeof value === "string" && value !== "";
  const isNumber = (typeof value === "number" || typeof value === "bigint") &&
    String(value).length >= SHORTEST_NUMBER;
  return isText || isNumber || (typeof value === "object" && value !== null)
    ? REDACTED
    : value;
}

const REDACTION: Visitor = {
  isSecretName: isHiddenName,
  leaf(value, { isSecret, place }) {
    if (typeof value !== "string" && !(value instanceof URL)) {
      const isObject = typeof value === "object" && value !== null;
      return isSecret && isObject ? REDACTED : value;
    }
    const text = String(value);
    if (isSecret && text !== "") return REDACTED;
    const shown = redactKnownPatterns(
      place === "args" ? redactPath(text) : text,
    );
    return shown === text ? value : shown;
  },
  command(args) {
    const texts = args.map((one) => typeof one === "string" ? one : "");
    return redactCommand(texts)
      .map((shown, at) => shown === texts[at] ? args[at] : shown);
  },
};
