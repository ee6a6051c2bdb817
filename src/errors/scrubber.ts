import { layersOf, type Range, rangesOf } from "./decode.ts";
import { redactKnownPatterns } from "./secrets.ts";
import { redactCommand } from "./command_line.ts";
import { REDACTED } from "./text.ts";
import {
  collectAll,
  type SecretSources,
  SHORTEST_SECRET,
} from "./secret_sources.ts";

/**
 * Creates a function that redacts the secrets of an environment in texts: their values in every usual encoding, and
 * known patterns of keys and tokens.
 *
 * @example Redact a password in an error
 * ```ts
 * import { redactorOf } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const redact = redactorOf({ DB_PASSWORD: "hunter2hunter2" });
 * assert.equal(redact("no access: hunter2hunter2"), "no access: [redacted]");
 * ```
 */
export function redactorOf(
  env: Readonly<Record<string, string>>,
): (text: string) => string {
  const scrubber = new Scrubber({ env });
  return (text) => scrubber.scrub(text);
}

/** Redacts known secrets, in every usual encoding, and patterns of keys and tokens. */
export class Scrubber {
  readonly #sources: SecretSources;
  /** Learned later; kept without the document each was found in. */
  readonly #learned = new Set<string>();
  #patterns: readonly string[] | undefined;

  /** Collects the secrets when there is a text to redact. */
  constructor(sources: SecretSources) {
    this.#sources = sources;
  }

  /** Adds the secrets of what was handed over later. */
  learn(sources: SecretSources): void {
    const before = this.#learned.size;
    collectAll(this.#learned, sources);
    if (this.#learned.size > before) this.#patterns = undefined;
  }

  /** The text without secrets. */
  scrub(text: string): string {
    if (text === "") return text;
    this.#patterns ??= this.#collect();
    const found = rangesOf(this.#patterns, text);
    return redactKnownPatterns(withoutRanges(text, found));
  }

  /** The command line without secrets, argument by argument. */
  command(command: readonly string[]): string[] {
    return redactCommand(command).map((argument) => this.scrub(argument));
  }

  #collect(): readonly string[] {
    const secrets = new Set(this.#learned);
    collectAll(secrets, this.#sources);
    return [...new Set([...secrets].flatMap(patternsOf))];
  }
}

/** A secret and its base64, with fewer layers of escapes each: text is compared layer by layer. */
function patternsOf(secret: string): readonly string[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = btoa(
    Array.from(bytes, (one) => String.fromCharCode(one)).join(""),
  ).replace(/=+$/, "");
  // The text after the secret may change the last character.
  const beginning = base64.slice(0, Math.floor(bytes.length * 4 / 3));
  const base64url = (text: string) =>
    text.replaceAll("+", "-").replaceAll("/", "_");
  return [base64, beginning]
    .flatMap((text) => [text, base64url(text)])
    .concat(secret)
    .flatMap((form) => layersOf(form))
    .filter((form) => form.length >= SHORTEST_SECRET);
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let clean = "";
  let end = 0;
  for (const [from, to] of ranges.toSorted(([one], [other]) => one - other)) {
    if (from >= end) clean += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}
