import { parsedJson } from "./text.ts";
import { isInline, redactAssignment, walkArguments } from "./command_line.ts";
import { mapData } from "./places.ts";
import { isSecretName, isSecretQuery } from "./secret_names.ts";
import { looksRandom } from "./secrets.ts";

/** Shorter values stand in too many texts by chance. */
export const SHORTEST_SECRET = 6;

const ADDRESS = /\b[a-z][a-z\d+.-]{0,30}:\/\/[^\s"<>]{1,10000}/gi;

/** Sources of a conversation's secrets. */
export interface SecretSources {
  /** Variables, most of them inherited: values of those with telling names, secrets in addresses and documents. */
  readonly env?: Readonly<Record<string, string>>;
  /** The command line: values that `redactCommand()` leaves out. */
  readonly args?: readonly string[];
  /** Anything else that is handed over, such as server configurations: values under telling names. */
  readonly documents?: readonly unknown[];
}

export function collectAll(
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

/** The JSON document in a text; `undefined` for other texts. */
function parsed(text: string): unknown {
  return isInline(text) ? parsedJson(text) : undefined;
}

function tried<T>(work: () => T, otherwise: T): T {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Texts under a telling name, at any depth; headers and variables that look like keys; secrets in addresses. */
function collect(found: Set<string>, data: unknown, place: string = ""): void {
  mapData(data, {
    isSecretName,
    leaf(value, { isSecret, place }) {
      if (value instanceof URL) addAddresses(found, value.href);
      if (typeof value !== "string" && typeof value !== "number") return value;
      const text = String(value);
      if (isSecret || (place === "env" && isKey(text))) addSecret(found, text);
      addParts(found, text, place);
      return value;
    },
    command(args) {
      addArguments(
        found,
        args.map((one) => typeof one === "string" ? one : ""),
      );
      return args;
    },
  }, { isSecret: false, place });
}

/** Collects the secrets inside a text: in a JSON document, an assignment or addresses. */
function addParts(found: Set<string>, text: string, place: string = ""): void {
  const document = parsed(text);
  if (document !== undefined) return collect(found, document, place);
  for (const secret of redactAssignment(text).secrets) {
    addSecret(found, secret);
  }
  addAddresses(found, text);
}

/** Secrets in addresses: user information, telling parameters of a query, and keys. */
function addAddresses(found: Set<string>, text: string): void {
  if (!text.includes("://")) return;
  // Alone it may hold what would end it in prose.
  const all = URL.canParse(text) ? [text] : text.match(ADDRESS) ?? [];
  for (const address of all.filter((one) => URL.canParse(one))) {
    const { username, password, searchParams, pathname } = new URL(address);
    addSecret(found, password || username);
    if (password !== "") addSecret(found, `${username}:${password}`);
    for (const [name, value] of searchParams) {
      if (isSecretQuery(name) || isKey(value)) addSecret(found, value);
    }
    for (const part of pathname.split("/")) {
      if (isKey(part)) addSecret(found, part);
    }
  }
}

/** Whether a text is a key, and no address, which is looked at part by part. */
function isKey(text: string): boolean {
  return !text.includes("://") && looksRandom(text);
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
  for (const one of headerValues(value)) addSecret(found, one);
  addAddresses(found, value);
}

/** Values of headers in the form of OpenTelemetry: `x-team=abc,authorization=Bearer%20def`; as written and decoded. */
function headerValues(text: string): readonly string[] {
  const pairs = text.split(",").map((one) => /^\s*[\w-]+=(.+)$/.exec(one));
  return pairs.some((pair) => pair === null) ? [] : pairs.flatMap((pair) => {
    const value = pair?.[1] ?? "";
    return [value, tried(() => decodeURIComponent(value), value)];
  });
}

function unpacked(text: string): string {
  const bytes = tried(() => atob(text), "");
  return new TextDecoder().decode(
    Uint8Array.from(bytes, (one) => one.charCodeAt(0)),
  );
}
