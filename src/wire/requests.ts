import { onAbort } from "../async/on_abort.ts";
import { ConfigError } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { JsonObject } from "../types/json.ts";
import { requestIds } from "./ids.ts";
import type { Outbox } from "./outbox.ts";
import type { Pending } from "./pending.ts";

interface RequestSettings {
  /** Gives the request up with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Its limit in milliseconds; `Infinity` = only the sweep of abandoned requests ends it. */
  readonly timeoutMs?: number | undefined;
  /** Takes the answer before anything behind it is looked at; what it throws is what the request rejects with. */
  readonly take?: ((response: JsonObject) => void) | undefined;
}

export interface Requests {
  /** Sends a request; resolves with the answer's `response`, `{}` for a void one. */
  send(
    subtype: string,
    fields?: JsonObject,
    settings?: RequestSettings,
  ): Promise<JsonObject>;
}

/** Makes them. */
export function createRequests(
  { pending, outbox, now, controlMs, log, learn }: {
    readonly pending: Pending;
    /** The way out. */
    readonly outbox: Outbox;
    /** Milliseconds since 1970. */
    readonly now: () => number;
    /** Limit of a request that names none, in milliseconds. */
    readonly controlMs: number;
    readonly log: Log;
    /** Called with what is handed to the CLI, which may hold secrets. */
    readonly learn?: (fields: JsonObject) => void;
  },
): Requests {
  const nextId = requestIds(now);

  function takeBack(id: string, reason: unknown): void {
    if (!pending.giveUp(id, reason)) return;
    outbox.post(
      JSON.stringify({ type: "control_cancel_request", request_id: id }) + "\n",
    );
  }

  return {
    async send(
      subtype,
      fields = {},
      { signal, timeoutMs = controlMs, take } = {},
    ) {
      signal?.throwIfAborted();
      learn?.(fields);
      const id = nextId();
      const data: JsonObject = { ...fields, subtype };
      const line = toLine(id, data);
      const answer = pending.add({ id, subtype, data, timeoutMs, take });
      if (log.isOn) {
        log.debug("Control request started", { subtype, requestId: id });
      }
      const unfollow = signal &&
        onAbort(signal, () => takeBack(id, signal.reason));
      outbox.send(line + "\n").catch((error) => pending.giveUp(id, error));
      try {
        return await answer;
      } finally {
        unfollow?.();
      }
    },
  };
}

function toLine(id: string, request: JsonObject): string {
  try {
    return JSON.stringify({
      type: "control_request",
      request_id: id,
      request,
    });
  } catch (cause) {
    const key = String(request.subtype);
    throw new ConfigError({
      message: `Fields of "${key}" cannot be written as JSON: ${
        textOfError(cause)
      }`,
      key,
      cause,
      fatal: false,
    });
  }
}
