import { systemClock } from "../async/system_clock.ts";
import { cut, isObject, REDACTED, textOfError } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import { VERSION } from "../version.ts";
import type { Credentials, ModelPlace } from "./model_credentials.ts";

/** How long the model's address may take, in milliseconds. */
export const ANSWER_MS = 10_000;

export interface Failure {
  readonly failure: string;
  readonly isLate: boolean;
}

export async function request(
  { clock = systemClock, signal }: ModelPlace,
  url: string,
  body: JsonObject,
  { headers, secrets }: Credentials,
): Promise<
  | Failure
  | {
    readonly status: number;
    readonly type: string;
    /** The body, if it is JSON. */
    readonly body: JsonObject | undefined;
    /** The error's own words, without secrets. */
    readonly message: string;
  }
> {
  const stop = new AbortController();
  const follow = () => stop.abort(signal?.reason);
  signal?.addEventListener("abort", follow);
  let isLate = false;
  clock.sleep(ANSWER_MS, stop.signal).then(() => {
    isLate = true;
    stop.abort(new Error("late"));
  }, () => {});
  const hidden = (text: string) =>
    cut(
      secrets.reduce((rest, one) => rest.replaceAll(one, REDACTED), text),
    );
  try {
    const response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      signal: stop.signal,
      headers: {
        "content-type": "application/json",
        "anthropic-version": "2023-06-01",
        "user-agent": `sluice/${VERSION}`,
        ...headers,
      },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    const json = parsed(text);
    const error = json?.["error"];
    const message = isObject(error) ? error["message"] : json?.["message"];
    return {
      status: response.status,
      type: response.headers.get("content-type")?.split(";")[0] ?? "",
      body: json,
      message: hidden(typeof message === "string" ? message : ""),
    };
  } catch (error) {
    signal?.throwIfAborted();
    const cause = error instanceof Error && error.cause !== undefined
      ? error.cause
      : error;
    return { failure: hidden(causeText(cause)), isLate };
  } finally {
    signal?.removeEventListener("abort", follow);
    stop.abort();
  }
}

/** Node joins what it tried in an error without a message. */
function causeText(cause: unknown): string {
  return cause instanceof AggregateError && cause.errors.length > 0
    ? textOfError(cause.errors[0])
    : textOfError(cause);
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value as JsonObject : undefined;
  } catch {
    return undefined;
  }
}
