import { textOfError } from "../errors/text.ts";

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
    if ("code" in one && BEFORE_SENDING.has(String(one.code))) return true;
    return one instanceof Error &&
      one.message.includes("client error (Connect)");
  });
}

/** What a failed `fetch` says, with its cause; the secret parts of the address are left out. */
export function reasonOf(error: unknown, url: string | URL): string {
  const [first, second] = chainOf(error).map(textOfError)
    .filter((text, index, all) => all.indexOf(text) === index);
  const text = second === undefined || first?.includes(second)
    ? first ?? textOfError(error)
    : `${first} (${second})`;
  return redact(text, new URL(url));
}

function redact(text: string, { search, username, password }: URL): string {
  return [search, username, password].filter((part) => part !== "")
    .reduce((rest, part) => rest.replaceAll(part, "[redacted]"), text);
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
