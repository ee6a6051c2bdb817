import { REDACTED } from "./text.ts";

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
const PLAIN_NAMES: ReadonlySet<string> = new Set([
  ...["PWD", "OLDPWD", "progressToken", "keys"],
]);

/** Whether the name of a variable, flag, header or field says that its value is secret. */
export function isSecretName(name: string): boolean {
  if (PLAIN_NAMES.has(name)) return false;
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
export function isHiddenName(name: string): boolean {
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
export function holdsSchemas(name: string): boolean {
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
