import { layersOf, type SourceRange } from "./decode.ts";
import {
  isInline,
  isPlain,
  isSecretName,
  isSecretPart,
  isSecretQuery,
  looksRandom,
  type Place,
  redactAssignment,
  redactCommand,
  redactKnownPatterns,
  walkArguments,
} from "./secrets.ts";
import { MOST_LEVELS, REDACTED } from "./text.ts";

/** Shorter values stand in too many texts by chance. */
const SHORTEST_SECRET = 6;

/** An address in prose. */
const ADDRESS = /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"<>]{1,10000}/gi;
/** User information, path and query of an address. */
const PARTS = /^[^/]*:\/\/(?:([^/?#]*)@)?([^?#]*)(?:\?([^#]*))?/;

/** What the secrets of a conversation are collected from. */
export interface SecretSources {
  /** Variables, most of them inherited: values of those with telling names, secrets in addresses and documents. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command line: values that {@link redactCommand} leaves out. */
  readonly args?: readonly string[];
  /** Anything else that is handed over, such as server configurations: values under telling names. */
  readonly documents?: readonly unknown[];
}

/**
 * Redacts known secrets, in every usual encoding, and patterns of keys and tokens.
 *
 * @example A password in an error
 * ```ts
 * import { Scrubber } from "@sluice/agent/extend";
 * import assert from "node:assert/strict";
 *
 * const scrubber = new Scrubber({ env: { DB_PASSWORD: "hunter2hunter2" } });
 * assert.equal(scrubber.scrub("no access: hunter2hunter2"), "no access: [redacted]");
 * ```
 */
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
    const found: SourceRange[] = [];
    for (const layer of layersOf(text)) {
      for (const pattern of this.#patterns) {
        for (
          let at = layer.text.indexOf(pattern);
          at >= 0;
          at = layer.text.indexOf(pattern, at + pattern.length)
        ) found.push(layer.toSource(at, at + pattern.length));
      }
    }
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
  // What follows the secret may change the last character.
  const beginning = base64.slice(0, Math.floor(bytes.length * 4 / 3));
  const base64url = (text: string) =>
    text.replaceAll("+", "-").replaceAll("/", "_");
  return [base64, beginning]
    .flatMap((text) => [text, base64url(text)])
    .concat(secret)
    .flatMap((form) => [...layersOf(form)].map(({ text }) => text))
    .filter((form) => form.length >= SHORTEST_SECRET);
}

function withoutRanges(text: string, ranges: SourceRange[]): string {
  ranges.sort(([one], [other]) => one - other);
  let clean = "";
  let end = 0;
  for (const [from, to] of ranges) {
    if (from >= end) clean += text.slice(end, from) + REDACTED;
    end = Math.max(end, to);
  }
  return clean + text.slice(end);
}

function collectAll(
  found: Set<string>,
  { env = {}, args = [], documents = [] }: SecretSources,
): void {
  for (const [name, value] of Object.entries(env)) {
    if (isSecretName(name)) addSecret(found, value);
    addParts(found, value);
  }
  addArguments(found, args);
  for (const document of documents) collect(found, document);
}

function addArguments(found: Set<string>, args: readonly string[]): void {
  for (const { secrets, shown } of walkArguments(args)) {
    for (const secret of secrets) addDocument(found, secret);
    addAddresses(found, shown);
  }
}

function addDocument(found: Set<string>, text: string): void {
  if (parsed(text) === undefined) addSecret(found, text);
  addParts(found, text);
}

/** The document that a text is; `undefined` when it is none. */
function parsed(text: string): unknown {
  return isInline(text) ? tried(() => JSON.parse(text), undefined) : undefined;
}

function tried<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Texts under a telling name, at any depth; headers and variables that look like keys; secrets in addresses. */
function collect(
  found: Set<string>,
  value: unknown,
  { isSecret, place }: Place = { isSecret: false, place: "" },
  depth: number = 0,
  seen: Set<unknown> = new Set(),
): void {
  if (typeof value === "string" || typeof value === "number") {
    const text = String(value);
    if (isSecret || (place === "env" && isKey(text))) addSecret(found, text);
    addParts(found, text, place);
  } else if (value instanceof URL) addAddresses(found, value.href);
  else if (isPlain(value) && !seen.has(value) && depth < MOST_LEVELS) {
    seen.add(value);
    if (isCommandLine(value) && !isSecret) return addArguments(found, value);
    for (const [name, part] of Object.entries(value)) {
      const below = {
        isSecret: isSecretPart(name, part, { isSecret, place }),
        place: place === "env" || place === "headers" ? place : name,
      };
      collect(found, part, below, depth + 1, seen);
    }
  }
}

function isCommandLine(value: object): value is readonly string[] {
  return Array.isArray(value) &&
    value.every((one) => typeof one === "string");
}

/** What is secret in a text whether or not it is as a whole: a document, or perhaps an assignment and addresses. */
function addParts(found: Set<string>, text: string, place: string = ""): void {
  const document = parsed(text);
  if (document !== undefined) {
    return collect(found, document, { isSecret: false, place });
  }
  for (const secret of redactAssignment(text).secrets) {
    addSecret(found, secret);
  }
  addAddresses(found, text);
}

/** Secrets in addresses: user information, telling parameters of a query, and keys. */
function addAddresses(found: Set<string>, text: string): void {
  if (!text.includes("://")) return;
  // Alone it may hold what would end it in prose.
  const all = URL.canParse(text) ? [[text]] : text.matchAll(ADDRESS);
  for (const [address] of all) {
    const [, info = "", path = "", query = ""] = PARTS.exec(address) ?? [];
    const [user = "", ...rest] = info.split(":");
    const pass = rest.join(":");
    addPart(found, pass === "" ? user : pass);
    if (pass !== "") addPart(found, info);
    for (const pair of query.split("&")) {
      const [name = "", ...rest] = pair.split("=");
      const value = rest.join("=");
      if (isSecretQuery(decoded(name)) || isKey(value)) addPart(found, value);
    }
    for (const part of path.split("/")) {
      if (isKey(part)) addPart(found, part);
    }
  }
}

/** A part of an address, as it was written and decoded. */
function addPart(found: Set<string>, part: string): void {
  addSecret(found, part);
  addSecret(found, decoded(part));
}

/** Whether a text is a key, and no address, which is looked at part by part. */
function isKey(text: string): boolean {
  return !text.includes("://") && looksRandom(text);
}

function decoded(text: string): string {
  return tried(() => decodeURIComponent(text), text);
}

function addSecret(found: Set<string>, value: string): void {
  for (const line of value.split(/\r?\n/)) {
    // `Authorization: Bearer abc`: the header, its value and the bare secret.
    const content = /^[\w-]+:\s+(.+)$/.exec(line)?.[1] ?? line;
    const [, scheme = "", bare = ""] =
      /^(bearer|basic|digest|token)\s+(\S+)$/i.exec(content) ?? [];
    const pair = scheme.toLowerCase() === "basic" ? unpacked(bare) : "";
    const pass = pair.slice(pair.indexOf(":") + 1);
    for (const one of [line, content, bare, pair, pass]) {
      const part = one.trim();
      if (part.length < SHORTEST_SECRET || /^\d{1,8}$/.test(part)) continue;
      found.add(part);
    }
  }
  addAddresses(found, value);
}

function unpacked(text: string): string {
  const bytes = tried(() => atob(text), "");
  return new TextDecoder().decode(
    Uint8Array.from(bytes, (one) => one.charCodeAt(0)),
  );
}
