import { ConfigError } from "../errors/config.ts";
import { textOfError } from "../errors/text.ts";

/**
 * A copy of the headers of a configuration.
 *
 * Changes made to the configuration later change nothing. A line break would let a value add headers of its own; the
 * value is not repeated in the error, since most headers of this kind are secrets.
 */
export function copyHeaders(
  server: string,
  headers: Readonly<Record<string, string>> = {},
): Readonly<Record<string, string>> {
  for (const [name, value] of Object.entries(headers)) {
    const key = `mcpServers.${server}.headers.${name}`;
    if (typeof value !== "string" || /[\r\n\0]/.test(value)) {
      throw new ConfigError({
        message: `Option "${key}" must be a text without line breaks`,
        key,
      });
    }
    if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) {
      throw new ConfigError({
        message: `Option "${key}" is not named like a header`,
        key,
      });
    }
  }
  return { ...headers };
}

/** How long the server asks to wait, in milliseconds: seconds or a date; `undefined` when it does not say. */
export function retryAfterMs(
  headers: Headers,
  now: number,
): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

/** Codes of failures that come before the first byte of a request; Bun has names of its own. */
const BEFORE_SENDING: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ENETUNREACH",
  "EHOSTUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
  "ConnectionRefused",
  "FailedToOpenSocket",
]);

/**
 * Whether a failed `fetch` surely never sent its request; what it does not know was perhaps sent.
 *
 * Node has a code on the cause, Bun on the error itself, Deno none: there the text of the cause says so.
 * Source: MCP reference, section 10.
 */
export function wasNotSent(error: unknown): boolean {
  const links = chainOf(error);
  return links.some((one) => {
    if ("code" in one && BEFORE_SENDING.has(String(one.code))) {
      // A network can go under a connection that stands.
      return !("syscall" in one && /^(read|write)/.test(String(one.syscall)));
    }
    return one instanceof Error &&
      one.message.includes("client error (Connect)");
  });
}

/** What a failed `fetch` says, with its cause. */
export function reasonOf(error: unknown): string {
  const [first, second] = chainOf(error).map(textOfError)
    .filter((text, index, all) => all.indexOf(text) === index);
  return second === undefined || first?.includes(second)
    ? first ?? textOfError(error)
    : `${first} (${second})`;
}

/** An error, its cause, and the cause of that. */
function chainOf(error: unknown): readonly object[] {
  const links: object[] = [];
  let link = error;
  while (typeof link === "object" && link !== null && links.length < 4) {
    links.push(link);
    link = "cause" in link ? link.cause : undefined;
  }
  return links;
}
