import { isSecretName } from "./secrets.ts";
import { REDACTED } from "./text.ts";

/** Secrets that show by themselves, wherever they come from. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[\w-]{8,}/g, REDACTED],
  [/\b[rs]k_(?:live|test)_\w{8,}/g, REDACTED],
  [
    /\b(?:gh[a-z]|github_pat|xox[a-z]|glpat|npm|hf)[_-][\w-]{10,}/g,
    REDACTED,
  ],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\bAIza[\w-]{30,}/g, REDACTED],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g, REDACTED],
  // One that was cut has no end.
  [
    /-----BEGIN [A-Z ]*PRIVATE KEY-----(?:[^]*?-----END [A-Z ]*PRIVATE KEY-----|[^]*)/g,
    REDACTED,
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
  for (const [pattern, replacement] of WELL_KNOWN) {
    clean = clean.replace(pattern, replacement);
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
