import { isSecretName } from "../errors/secrets.ts";
import { REDACTED } from "../errors/text.ts";
import type { JsonValue } from "../types/json.ts";

/** Shorter values stand in too many texts by chance. */
const SHORTEST_SECRET = 6;
/** So much of a secret's end is recognised where a text begins in its middle. */
const SHORTEST_REST = 4;

/** Flags whose value may hold settings with secrets inside. */
const DOCUMENT_FLAGS = new Set(["settings", "mcp-config", "managed-settings"]);

/** Secrets that show by themselves, wherever they come from. */
const WELL_KNOWN: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, REDACTED],
  [/\b(?:gh[a-z]|github_pat|xox[a-z]|glpat)[_-][A-Za-z0-9_-]{10,}/g, REDACTED],
  // With a digit: prose has none.
  [/\b(Bearer|Basic)\s+(?=\S*\d)[\w.~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // The user information of a URL, as in the address of a proxy.
  [/:\/\/[^\s/@"']{1,512}@/g, `://${REDACTED}@`],
];

/** What the secrets of a conversation are collected from. */
export interface SecretSources {
  /** The CLI's environment: values of variables with telling names. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command line: values that {@link redactCommand} leaves out. */
  readonly args?: readonly string[];
  /** Anything else that is handed over, such as server configurations: values under telling names. */
  readonly documents?: readonly unknown[];
}

/** Takes the secrets it knows, and those that show by themselves, out of texts. */
export class Scrubber {
  readonly #sources: SecretSources;
  #found: readonly string[] | undefined;

  /** Looks for them when there is a text to clean. */
  constructor(sources: SecretSources) {
    this.#sources = sources;
  }

  /** The text without secrets. */
  scrub(text: string): string {
    if (text === "") return text;
    let clean = this.#scrubStart(text);
    for (const secret of this.#secrets) {
      clean = clean.replaceAll(secret, REDACTED);
    }
    for (const [pattern, replacement] of WELL_KNOWN) {
      clean = clean.replace(pattern, replacement);
    }
    return clean;
  }

  /** The command line without secrets, argument by argument. */
  command(command: readonly string[]): string[] {
    return redactCommand(command).map((argument) => this.scrub(argument));
  }

  /** All secrets it knows, the longest first: one may be part of another. */
  get #secrets(): readonly string[] {
    return this.#found ??= this.#collect();
  }

  #collect(): readonly string[] {
    const { env = {}, args = [], documents = [] } = this.#sources;
    const found = new Set<string>();
    for (const [name, value] of Object.entries(env)) {
      if (isSecretName(name)) addSecret(found, value);
    }
    for (const { secret } of walkArguments(args)) {
      if (secret !== undefined) addDocument(found, secret);
    }
    for (const document of documents) collect(found, document, false);
    return [...found].sort((a, b) => b.length - a.length);
  }

  /** A tail may begin in the middle of a secret. */
  #scrubStart(text: string): string {
    for (const secret of this.#secrets) {
      const longest = Math.min(secret.length - 1, text.length);
      for (let rest = longest; rest >= SHORTEST_REST; rest--) {
        if (text.startsWith(secret.slice(-rest))) {
          return REDACTED + text.slice(rest);
        }
      }
    }
    return text;
  }
}

/** A command line in which values of flags and variables with telling names are left out. */
export function redactCommand(args: readonly string[]): string[] {
  return walkArguments(args).map(({ shown }) => shown);
}

/** A command line for people: quoted where it must be, never to be run. */
export function showCommand(command: readonly string[]): string {
  return command
    .map((one) => /^[\w@%+=:,.\\/[\]-]+$/.test(one) ? one : JSON.stringify(one))
    .join(" ");
}

interface Argument {
  readonly shown: string;
  readonly secret?: string;
}

function walkArguments(args: readonly string[]): Argument[] {
  let isValueSecret = false;
  let isDocument = false;
  return args.map((argument) => {
    const flag = /^--?([A-Za-z][\w-]*)(?:=([^]*))?$/.exec(argument);
    const [, name = "", value] = flag ?? [];
    const isValue = flag === null ||
      (isValueSecret && !argument.startsWith("--"));
    if (isValue && (isValueSecret || isDocument)) {
      const isHidden = isValueSecret || isInline(argument);
      // A list of documents may follow one flag.
      isValueSecret = false;
      return isHidden
        ? { shown: REDACTED, secret: argument }
        : { shown: argument };
    }
    isDocument = false;
    isValueSecret = false;
    if (flag === null) return redactAssignment(argument);
    const isSecret = isSecretName(name);
    if (value === undefined) {
      isValueSecret = isSecret;
      isDocument = DOCUMENT_FLAGS.has(name);
      return { shown: argument };
    }
    const isHidden = isSecret ||
      (DOCUMENT_FLAGS.has(name) && isInline(value));
    return isHidden
      ? {
        shown: argument.slice(0, argument.indexOf("=") + 1) + REDACTED,
        secret: value,
      }
      : { shown: argument };
  });
}

/** A document on the command line itself, not the path of one. */
function isInline(value: string): boolean {
  return /^\s*[[{]/.test(value);
}

/** `NAME=value`, as containers take it. */
function redactAssignment(argument: string): Argument {
  const [, name = "", value = ""] = /^(\w+)=([^]+)$/.exec(argument) ?? [];
  return value !== "" && isSecretName(name)
    ? { shown: `${name}=${REDACTED}`, secret: value }
    : { shown: argument };
}

function addDocument(found: Set<string>, text: string): void {
  try {
    collect(found, JSON.parse(text) as JsonValue, false);
  } catch {
    addSecret(found, text);
  }
}

/** Strings under a telling name, at any depth; `headers` tells for everything below it. */
function collect(
  found: Set<string>,
  value: unknown,
  isSecret: boolean,
  seen: Set<unknown> = new Set(),
): void {
  if (typeof value === "string") {
    if (isSecret) addSecret(found, value);
  } else if (isDocument(value) && !seen.has(value)) {
    seen.add(value);
    for (const [name, part] of Object.entries(value)) {
      collect(found, part, isSecret || isSecretName(name), seen);
    }
  }
}

/** Objects with a class, such as servers in this program, are not handed over and not walked. */
function isDocument(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function addSecret(found: Set<string>, value: string): void {
  for (const line of value.split(/\r?\n/)) {
    // `Authorization: Bearer abc`: the header, its value and the bare secret.
    const content = /^[\w-]+:\s+(.+)$/.exec(line)?.[1] ?? line;
    const bare = /^(?:bearer|basic|digest|token)\s+(\S+)$/i.exec(content)?.[1];
    for (const one of [line, content, bare ?? ""]) {
      const part = one.trim();
      if (part.length < SHORTEST_SECRET || /^\d{1,8}$/.test(part)) continue;
      found.add(part);
      // As it stands in JSON and in a URL.
      found.add(JSON.stringify(part).slice(1, -1));
      found.add(encodeURIComponent(part));
    }
  }
}
