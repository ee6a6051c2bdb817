import type { ApprovalStore } from "../approvals/store.ts";
import { checkKeys, integer, oneOf } from "../options/fields.ts";
import { channelOf } from "./channels.ts";
import { type ByteSource, eventBody } from "./event_body.ts";
import { encode, textOfEvent } from "./event_text.ts";
import type { AgUiRunIds } from "./ag_ui_run.ts";
import { FORMATS, type StreamFormat } from "./formats.ts";
import type { PageEvent } from "./mapping.ts";
import type { Cursor } from "./journal.ts";
import type { UiSource } from "./source.ts";
import { heartbeatOf, type SseOptions } from "./sse.ts";

/** Bytes of events that are kept for readers that come back. */
const BUFFER_BYTES = 4 * 1024 * 1024;

/** Settings of {@link sseResponse}. */
export interface SseResponseOptions extends SseOptions {
  /** How messages become events; `"messages"`. All responses of one conversation, or of one turn of a client, have the same format. */
  readonly format?: StreamFormat | undefined;
  /** The header `Last-Event-ID` of the request: the response continues behind that event. */
  readonly lastEventId?: string | null | undefined;
  /** Ids of the run, with the format `"ag-ui"`. */
  readonly run?: AgUiRunIds | undefined;
  /** Store whose questions of this session become events. */
  readonly approvals?: ApprovalStore | undefined;
  /**
   * Effect of the last response that is cancelled before the end: `"close"`, the default, ends the conversation;
   * `"park"` holds it back for the next response.
   */
  readonly onLeave?: "close" | "park" | undefined;
  /** Bytes of events that are kept for readers that come back or are behind; 4 194 304. The first response of a source decides. */
  readonly bufferBytes?: number | undefined;
}

/**
 * Creates a response that streams a conversation to a page as server-sent events.
 *
 * Shape: with the format `"messages"` each message is an event `data: <JSON>` with an `id`. Named events stand beside
 * them: `approval` (an `Approval`, asked or answered), `failure` (`code` and `message` of the error that ended the
 * messages), `reset` (events before this one are no longer available) and `end`. With `"text"` the data are pieces of
 * the answer's text, with the same named events. With `"ai-sdk"` and `"ag-ui"` they are the chunks of `aiSdkChunks()`
 * and the events of `agUiEvents()`, questions included.
 *
 * Several responses of one source share one reader: each gets all events, and the slowest one holds the CLI back. Of a
 * client a response streams one turn: that of the oldest prompt without a response, else the running one, from its start;
 * without a turn its status is 204.
 *
 * @param source A conversation, a client, or messages
 * @param options Format, place to continue, approvals
 * @returns The response, with the headers of an event stream
 * @throws {ConfigError} If an option is wrong
 *
 * @example Stream the messages of a conversation
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import { sseResponse } from "@sluice/agent/ui";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * const response = sseResponse(query("Say hello.", { cliPath }), { format: "text" });
 * assert.equal(response.headers.get("content-type"), "text/event-stream");
 * assert.match(await response.text(), /^id: \d+\ndata: "Hello."\n\nid: \d+\nevent: end\ndata: \{\}\n\n$/);
 * ```
 */
export function sseResponse(
  source: UiSource,
  options: SseResponseOptions = {},
): Response {
  const { approvals, lastEventId, run = {}, signal } = options;
  const format = options.format ?? "messages";
  const onLeave = options.onLeave ?? "close";
  const bufferBytes = options.bufferBytes ?? BUFFER_BYTES;
  checkKeys({ format, onLeave, bufferBytes }, {
    format: oneOf(...Object.keys(FORMATS)),
    onLeave: oneOf("close", "park"),
    bufferBytes: integer({ min: 1 }),
  }, "");
  const heartbeatMs = heartbeatOf(options.heartbeatMs);
  const joined = channelOf(source, { format, run, mostBytes: bufferBytes });
  if (joined === undefined) return nothing();
  const { channel, close, yieldTurn } = joined;
  // Else a browser would connect again and again after the end.
  if (lastEventId && channel.journal.isDone(lastEventId)) return nothing();
  const { headers, withoutBeginning } = FORMATS[format];
  const bytes = later(() => {
    const cursor = channel.join({
      // A browser without an id sends no header.
      lastEventId: lastEventId || undefined,
      approvals,
      isWhole: withoutBeginning !== undefined,
      onLastLeft: onLeave === "close" ? close : yieldTurn,
    });
    return cursor === undefined
      ? fixed(withoutBeginning?.(run) ?? [])
      : withReset(cursor);
  });
  return new Response(eventBody(bytes, { heartbeatMs, signal }), {
    headers: { ...HEADERS, ...headers },
  });
}

const HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  // Compression would hold events back.
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

function nothing(): Response {
  return new Response(null, { status: 204 });
}

/** A source that is opened when it is used: a response that is never read must not hold others back. */
function later(open: () => ByteSource): ByteSource {
  let opened: ByteSource | undefined;
  const source = () => opened ??= open();
  return {
    next: () => source().next(),
    leave: () => source().leave(),
  };
}

/** Events that are there already. */
function fixed(events: readonly PageEvent[]): ByteSource {
  const rest = events.map((event) => encode(textOfEvent(event)));
  return { next: () => Promise.resolve(rest.shift()), leave() {} };
}

/** Reports a gap before everything else. */
function withReset(cursor: Cursor): ByteSource {
  let isReported = !cursor.hasGap;
  return {
    next() {
      if (isReported) return cursor.next();
      isReported = true;
      return Promise.resolve(encode(textOfEvent({ name: "reset", data: {} })));
    },
    leave: () => cursor.leave(),
  };
}
