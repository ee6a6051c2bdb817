/** Words that say by their end that a value is secret, also grown together with others: `PGPASSWORD`, `sshpass`. */
const TELLING_END =
  /(?:passw(?:or)?d|passphrase|pwd|secret|credential|token|cookie|bearer|auth|authorization|(?:access|ai|api|auth|client|encryption|license|master|private|secret|service|shared|signing|ssh|storage)key)s?$/;
/** Words that say so when they stand alone. */
const TELLING_WORDS: ReadonlySet<string> = new Set([
  ...["dsn", "headers", "jwt", "key", "keys", "otp", "pass", "pat", "pw"],
]);
/** `bypass` and `compass` are no passwords. */
const PASS_END = /(?<!^by|^com|^over|^sur|^tres|^under)pass$/;
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
    TELLING_WORDS.has(word) || TELLING_END.test(word) || PASS_END.test(word)
  ) || /connection_?string/.test(words.join("_"));
}

/** Headers that everybody may see. */
const PUBLIC_HEADER =
  /^(?:accept(?:-\w+)?|cache-control|connection|content-\w+|host|mcp-protocol-version|origin|referer|user-agent)$/i;

/** Whether all that stands under a name is taken for secret: variables and headers may be, whatever they are called. */
export function isSecretPlace(name: string): boolean {
  return name === "env" || name === "headers";
}

/** Whether a header may be shown. */
export function isPublicHeader(name: string): boolean {
  return PUBLIC_HEADER.test(name);
}

/** Whether the names under a name are those of a schema: `properties.password` holds no password. */
export function holdsSchemas(name: string): boolean {
  return name === "properties" || name === "definitions" || name === "$defs";
}

/** Deeper than any message, and far from the end of the stack. */
export const MOST_LEVELS = 200;

/** Takes the secrets that are known out of a text. */
export type Scrub = (text: string) => string;

/** A list, or an object without a class: data, and nothing that lives. */
export function isPlain(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
