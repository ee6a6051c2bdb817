/** Words that say by their end that a value is secret, also grown together with others: `PGPASSWORD`, `sshpass`. */
const TELLING_END =
  /(?:passw(?:or)?d|passphrase|pwd|secret|credential|token|cookie|bearer|auth|authorization|(?:access|ai|api|auth|client|encryption|license|master|private|secret|service|shared|signing|ssh|storage)key)s?$/;

/** Words that say so when they stand alone; `bypass` and `compass` are no passwords. */
const TELLING_WORD =
  /^(?:dsn|headers|jwt|keys?|otp|pat|pw)$|(?<!^by|^com|^over|^sur|^tres|^under)pass$/;

/** Last words of names that concern a secret but do not hold it: `apiKeyHelper`, `TOKEN_FILE`. */
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
const PLAIN_NAME = /^(?:PWD|OLDPWD|progressToken|keys)$/;

const LONGEST_SECRET_NAME = 200;

/** Whether the name of a variable, flag, header or field says that its value is secret. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST_SECRET_NAME || PLAIN_NAME.test(name)) return false;
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

/** Other names of secrets in a query. */
const QUERY_NAME = /^(?:x-amz-)?(?:code|sig|signature)$/i;

/** Whether the name of a part of a query says that its value is secret. */
export function isSecretQuery(name: string): boolean {
  return QUERY_NAME.test(name) || isSecretName(name);
}
