import {
  isInline,
  isPlain,
  isSecretName,
  isSecretPart,
  isSecretQuery,
  looksRandom,
  looksScrubbed,
  type Place,
  redactAssignments,
  redactCommand,
  walkArguments,
} from "./secrets.ts";
import { MOST_LEVELS, REDACTED } from "./text.ts";

/** Shorter values stand in too many texts by chance. */
const SHORTEST_SECRET = 6;
/** So much of a secret is recognised where a text begins or is cut in its middle. */
const SHORTEST_REST = 4;

/** An address in prose. */
const ADDRESS = /\b[a-z][a-z\d+.-]*:\/\/[^\s"<>]+/gi;
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

/** Takes the secrets it knows, and those that show by themselves, out of texts. */
export class Scrubber {
  readonly #sources: SecretSources;
  /** What came later; kept without what it was found in. */
  readonly #learned = new Set<string>();
  /** All it knows, the longest first: one may be part of another. */
  #found: readonly string[] | undefined;

  /** Looks for them when there is a text to clean. */
  constructor(sources: SecretSources) {
    this.#sources = sources;
  }

  /** Takes in what else was handed over. */
  learn(sources: SecretSources): void {
    const before = this.#learned.size;
    collectAll(this.#learned, sources);
    if (this.#learned.size > before) this.#found = undefined;
  }

  /** The text without secrets; one that was cut ends with an ellipsis, perhaps in the middle of one. */
  scrub(text: string): string {
    if (text === "") return text;
    let clean = text;
    for (const secret of this.#secrets) {
      if (secret.length > text.length) continue;
      clean = clean.replaceAll(secret, REDACTED);
    }
    if (clean.includes("…")) clean = this.#scrubCuts(clean);
    return looksScrubbed(clean);
  }

  /** The newest part of a text without secrets; it may begin in the middle of one. */
  scrubTail(text: string): string {
    return text === "" ? text : this.scrub(this.#scrubEdge(text, "start"));
  }

  /** The command line without secrets, argument by argument. */
  command(command: readonly string[]): string[] {
    return redactCommand(command).map((argument) => this.scrub(argument));
  }

  get #secrets(): readonly string[] {
    if (this.#found === undefined) {
      const found = new Set(this.#learned);
      collectAll(found, this.#sources);
      this.#found = [...found].sort((a, b) => b.length - a.length);
    }
    return this.#found;
  }

  #scrubCuts(text: string): string {
    return text.split("…").map((part, index, all) =>
      index === all.length - 1 ? part : this.#scrubEdge(part, "end")
    ).join("…");
  }

  /** Takes out a part of a secret that is cut where the text begins or ends. */
  #scrubEdge(text: string, edge: "start" | "end"): string {
    for (const secret of this.#secrets) {
      const longest = Math.min(secret.length - 1, text.length);
      for (let rest = longest; rest >= SHORTEST_REST; rest--) {
        if (edge === "start" && text.startsWith(secret.slice(-rest))) {
          return REDACTED + text.slice(rest);
        }
        if (edge === "end" && text.endsWith(secret.slice(0, rest))) {
          return text.slice(0, -rest) + REDACTED;
        }
      }
    }
    return text;
  }
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

/** What is secret in a text whether or not it is as a whole: a document, or perhaps assignments and addresses. */
function addParts(found: Set<string>, text: string, place: string = ""): void {
  const document = parsed(text);
  if (document !== undefined) {
    return collect(found, document, { isSecret: false, place });
  }
  for (const secret of redactAssignments(text).secrets) {
    addSecret(found, secret);
  }
  addAddresses(found, text);
}

/** What stands in an address: its user, what a query calls secret, and whatever looks like a key; decoded, and as it was written. */
function addAddresses(found: Set<string>, text: string): void {
  if (!text.includes("://")) return;
  // Alone it may hold what would end it in prose.
  const all = URL.canParse(text) ? [[text]] : text.matchAll(ADDRESS);
  for (const [address] of all) {
    const [, info = "", path = "", query = ""] = PARTS.exec(address) ?? [];
    const [user = "", ...rest] = info.split(":");
    const pass = rest.join(":");
    for (const form of writtenForms(pass === "" ? user : pass)) {
      addSecret(found, form);
    }
    if (pass !== "") addSecret(found, `${decoded(user)}:${decoded(pass)}`);
    for (const pair of query.split("&")) {
      const [name = "", ...rest] = pair.split("=");
      const value = rest.join("=");
      if (!isSecretQuery(decoded(name)) && !isKey(value)) continue;
      for (const form of writtenForms(value)) addSecret(found, form);
    }
    for (const part of path.split("/")) {
      if (isKey(part)) addSecret(found, decoded(part));
    }
  }
}

/** A part of an address as it was written, decoded, and as a `URL` writes it. */
function writtenForms(text: string): readonly string[] {
  const plain = decoded(text.replaceAll("+", " "));
  const url = new URL("http://host");
  url.password = text;
  url.searchParams.set("a", plain);
  return [text, decoded(text), plain, url.password, url.search.slice(3)];
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
      for (const form of formsOf(part)) found.add(form);
    }
  }
  addAddresses(found, value);
}

/** A secret as it stands in plain text, in JSON once or twice, in a URL, in a form, in HTML, and in base64 of both kinds. */
function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  const inUrl = encodeURIComponent(secret.toWellFormed());
  return [
    secret,
    inJson,
    JSON.stringify(inJson).slice(1, -1),
    inUrl,
    inUrl.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inUrl.replaceAll("%20", "+"),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;").replaceAll('"', "&quot;")
      .replaceAll("'", "&#39;"),
    ...packed(secret),
  ];
}

/** In base64, alone and wherever it stands in what was packed: three bytes are four signs, so that there are three ways. */
function packed(text: string): readonly string[] {
  const bytes = Array.from(
    new TextEncoder().encode(text),
    (one) => String.fromCharCode(one),
  ).join("");
  const inside = [0, 1, 2].map((before) => {
    const bits = 8 * before;
    // Signs that it shares with what stands around it are left out.
    return btoa("\0".repeat(before) + bytes)
      .slice(Math.ceil(bits / 6), Math.floor((bits + 8 * bytes.length) / 6));
  });
  return [btoa(bytes).replace(/=+$/, ""), ...inside]
    .flatMap((one) => [one, one.replaceAll("+", "-").replaceAll("/", "_")]);
}

function unpacked(text: string): string {
  const bytes = tried(() => atob(text), "");
  return new TextDecoder().decode(
    Uint8Array.from(bytes, (one) => one.charCodeAt(0)),
  );
}
