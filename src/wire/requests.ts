import { onAbort } from "../async/on_abort.ts";
import { ConfigError } from "../errors/config.ts";
import { textOfError } from "../errors/text.ts";
import type { Log } from "../observe/log.ts";
import type { JsonObject } from "../types/json.ts";
import type { RequestIds } from "./ids.ts";
import type { Outbox } from "./outbox.ts";
import type { Pending } from "./pending.ts";

/** What {@link Requests} is made from. */
export interface RequestsInit {
  /** The table. */
  readonly pending: Pending;
  /** The way out. */
  readonly outbox: Outbox;
  /** Makes ids. */
  readonly ids: RequestIds;
  /** Limit of a request that names none, in milliseconds. */
  readonly controlMs: number;
  /** Where starts are told. */
  readonly log: Log;
  /** Hears of what is handed to the CLI, which may hold secrets. */
  readonly learn?: (fields: JsonObject) => void;
}

/** Settings of one request. */
export interface RequestSettings {
  /** Gives the request up with its reason. */
  readonly signal?: AbortSignal | undefined;
  /** Its limit in milliseconds; `Infinity` = only the sweep of abandoned requests ends it. */
  readonly timeoutMs?: number | undefined;
}

/** Control requests of ours. */
export class Requests {
  readonly #init: RequestsInit;

  constructor(init: RequestsInit) {
    this.#init = init;
  }

  /** Sends a request; resolves with the answer's `response`, `{}` for a void one. */
  async send(
    subtype: string,
    fields: JsonObject = {},
    { signal, timeoutMs }: RequestSettings = {},
  ): Promise<JsonObject> {
    const { pending, outbox, ids, controlMs, log, learn } = this.#init;
    signal?.throwIfAborted();
    learn?.(fields);
    const id = ids.next();
    const data: JsonObject = { ...fields, subtype };
    const line = toLine(id, data);
    const answer = pending.add({
      id,
      subtype,
      data,
      timeoutMs: timeoutMs ?? controlMs,
    });
    if (log.isOn) {
      log.debug("Control request started", { subtype, requestId: id });
    }
    const unfollow = signal &&
      onAbort(signal, () => this.#takeBack(id, signal.reason));
    outbox.send(line + "\n").catch((error) => pending.giveUp(id, error));
    try {
      return await answer;
    } finally {
      unfollow?.();
    }
  }

  #takeBack(id: string, reason: unknown): void {
    const { pending, outbox } = this.#init;
    if (!pending.giveUp(id, reason)) return;
    outbox.post(
      JSON.stringify({ type: "control_cancel_request", request_id: id }) + "\n",
    );
  }
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
