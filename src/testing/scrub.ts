import type { JsonValue } from "../types/json.ts";
import { isObject } from "./json_object.ts";

const REDACTED = "[redacted]";

/** Fields whose text is a secret by its name. */
const SECRET_FIELD =
  /(?:^|[-_])(?:api[-_]?key|auth[-_]?token|access[-_]?token|refresh[-_]?token|id[-_]?token|session[-_]?token|token|secret|password|passwd|authorization|cookie|credentials?|private[-_]?key|email)$|(?:[a-z](?:ApiKey|Token|Secret|Password|PrivateKey))$|^(?:apiKey)$/i;

/** Texts that are secrets by their look. */
const SECRET_TEXTS: readonly RegExp[] = [
  /\bsk-[a-zA-Z0-9_-]{8,}/g,
  /\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi,
  /\bgh[pousr]_[A-Za-z0-9]{16,}/g,
  /\bgithub_pat_[A-Za-z0-9_]{16,}/g,
  /\bglpat-[A-Za-z0-9_-]{16,}/g,
  /\bxox[abposr]-[A-Za-z0-9-]{8,}/g,
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g,
  /\bAIza[A-Za-z0-9_-]{30,}/g,
  /\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?-----END [A-Z ]*PRIVATE KEY-----/g,
  // A name and a password in an address.
  /(?<=:\/\/)[^\s/:@]+:[^\s/@]+(?=@)/g,
];

/** Values of variables shorter than this are too common to look for. */
const SHORTEST_SECRET = 8;

/** Takes secrets out of everything that goes into a cassette. */
export class Scrubber {
  readonly #values: readonly string[];
  readonly #extra: ((text: string) => string) | undefined;

  /** Knows the secrets of an environment by their values as well. */
  constructor(
    env: Readonly<Record<string, string>>,
    extra?: (text: string) => string,
  ) {
    this.#values = Object.entries(env)
      .filter(([name, value]) =>
        isSecretName(name) && value.length >= SHORTEST_SECRET
      )
      .map(([, value]) => value);
    this.#extra = extra;
  }

  /** A text without secrets. */
  text(text: string): string {
    let clean = text;
    for (const value of this.#values) clean = clean.replaceAll(value, REDACTED);
    for (const look of SECRET_TEXTS) clean = clean.replace(look, REDACTED);
    return this.#extra === undefined ? clean : this.#extra(clean);
  }

  /** A value without secrets, the same in all else. */
  value(value: JsonValue): JsonValue {
    if (typeof value === "string") return this.text(value);
    if (Array.isArray(value)) return value.map((item) => this.value(item));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, field]) => [
        key,
        typeof field === "string" && field !== "" && isSecretName(key)
          ? REDACTED
          : this.value(field ?? null),
      ]),
    );
  }

  /** Arguments without secrets, those after a flag with a telling name included. */
  args(args: readonly string[]): readonly string[] {
    return args.map((arg, index) => {
      const before = args[index - 1] ?? "";
      if (before.startsWith("--") && isSecretName(before)) return REDACTED;
      const [flag = "", ...value] = arg.split("=");
      return value.length > 0 && flag.startsWith("--") && isSecretName(flag)
        ? `${flag}=${REDACTED}`
        : this.#argument(arg);
    });
  }

  /** An argument may be JSON, alone or behind its flag. */
  #argument(arg: string): string {
    const at = arg.indexOf("{");
    if (at < 0) return this.text(arg);
    try {
      const value: JsonValue = JSON.parse(arg.slice(at));
      return this.text(arg.slice(0, at)) + JSON.stringify(this.value(value));
    } catch {
      return this.text(arg);
    }
  }
}

function isSecretName(name: string): boolean {
  return SECRET_FIELD.test(name);
}
