import { asObject, cut, parsedJson } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import { limitedText } from "../stream/limited_text.ts";
import { McpFailure } from "./failure.ts";

/** Only the beginning of a refusal is shown. */
const LONGEST_REFUSAL_BYTES = 64 * 1024;

export async function refusalOf(
  { name, clock }: { readonly name: string; readonly clock: FullClock },
  response: Response,
  { isOfSession }: { readonly isOfSession: boolean },
): Promise<McpFailure> {
  const { status, headers } = response;
  const body = await textOf(response).catch(() => "");
  const reason = body === "" ? "" : `: ${cut(body)}`;
  const text = `MCP server "${name}" answered HTTP ${status}${reason}`;
  const wait = retryAfterMs(headers, clock.now());
  const isSessionLost = isOfSession &&
    (status === 404 || status === 400 && isSessionError(body));
  const isBusy = (status === 429 || status === 503) && wait !== undefined;
  const challenge = headers.get("www-authenticate");
  return new McpFailure(text, {
    kind: "http",
    delivery: isSessionLost || isBusy ? "not_sent" : "unknown",
    status,
    isSessionLost,
    ...wait !== undefined && { retryAfterMs: wait },
    details: {
      status,
      ...challenge !== null && { wwwAuthenticate: challenge },
    },
  });
}

async function textOf({ body }: Response): Promise<string> {
  return (await limitedText(body?.getReader(), LONGEST_REFUSAL_BYTES)).text;
}

/** Errors of the official SDKs for a request of a session that they do not know; it was not executed. */
const SESSION_ERRORS: ReadonlySet<unknown> = new Set([
  "Bad Request: No valid session ID provided",
  "Bad Request: Server not initialized",
]);

/**
 * Whether the body of a 400 is a documented session error: as JSON-RPC that answers no request, or as plain text.
 *
 * The protocol asks for 404. Any other text is an answer: a call that ran must not run again because its error happens
 * to contain the word.
 */
function isSessionError(body: string): boolean {
  const answer = parsedJson(body);
  if (answer === undefined) return SESSION_ERRORS.has(body.trim());
  const { id = null, error } = asObject(answer);
  return id === null && SESSION_ERRORS.has(asObject(error).message);
}

/** Wait that the server asks for, in milliseconds; its header holds seconds or a date. */
function retryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim();
  if (text === undefined || text === "") return undefined;
  if (/^\d+$/.test(text)) return Number(text) * 1_000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
