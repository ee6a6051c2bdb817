import { isObject } from "../errors/text.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { Channel, ExitReport, Transport } from "../ports/transport.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import { type CassetteLine, messageOf, parseCassette } from "./cassette.ts";
import { asList, fieldOf, parseLine, splitLines } from "./wire_lines.ts";

/** Settings of a replay. */
export interface ReplayOptions {
  /** Whether the CLI's pauses are kept; false unless given: as fast as it is read. */
  readonly timing?: boolean | undefined;
  /** Time for the pauses. */
  readonly clock?: Clock | undefined;
}

/**
 * Makes a transport that plays a cassette: what the CLI said comes again, when what it answered to has come again.
 *
 * Shape: what the host sends is matched with what it sent then by kind (a prompt, a control request of a
 * subtype, an answer to the same request), not by text and not by order; ids of requests and hooks are translated. A
 * control request that the cassette does not hold is answered with an error, what a start with hooks asks with
 * success, `interrupt` with success and the end of the play; a prompt too many ends it with exit code 1 and the reason on stderr. It may be opened again and again.
 *
 * @param cassette Its text, as {@link record} wrote it
 * @param options Whether pauses are kept
 * @returns For the option `transport`
 * @throws {ConfigError} If the cassette is broken, or newer than this package
 *
 * @example The same conversation without a CLI
 * ```ts
 * import { query } from "@sluice/agent";
 * import { replay } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const cassette = [
 *   { dir: "meta", event: "cassette", version: 1 },
 *   { dir: "in", msg: { type: "control_request", request_id: "a", request: { subtype: "initialize" } } },
 *   { dir: "in", msg: { type: "user", message: { role: "user", content: "hi" } } },
 *   { dir: "out", msg: { type: "control_response", response: { subtype: "success", request_id: "a", response: {} } } },
 *   { dir: "out", msg: {
 *     type: "result", subtype: "success", is_error: false, result: "Hello", duration_ms: 1, duration_api_ms: 1, num_turns: 1,
 *     stop_reason: "end_turn", total_cost_usd: 0, usage: {}, modelUsage: {}, permission_denials: [], uuid: "u", session_id: "s",
 *   } },
 * ];
 * const transport = replay(cassette.map((line) => JSON.stringify(line)).join("\n"));
 * assert.equal(await query("hi", { transport }).text(), "Hello");
 * ```
 */
export function replay(
  cassette: string,
  { timing = false, clock = systemClock }: ReplayOptions = {},
): Transport {
  const lines = promptsAfterReady(parseCassette(cassette));
  return {
    open(_launch, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      return Promise.resolve(play(lines, timing ? clock : undefined));
    },
  };
}

const encoder = new TextEncoder();

/** Answers that need not be recorded: what every start with hooks asks, which earlier versions did not, and a stop. */
const USUAL: Readonly<Record<string, JsonObject>> = {
  apply_flag_settings: {},
  get_hooks_listing: { events: [], hooks: [], eventCatalog: [] },
  interrupt: { still_queued: [] },
};

const AWAITED: ReadonlySet<unknown> = new Set([
  "user",
  "control_request",
  "control_response",
]);

/** A prompt that left with `initialize` then may wait for its answer now. */
function promptsAfterReady(
  lines: readonly CassetteLine[],
): readonly CassetteLine[] {
  const messages = lines.map((line) => messageOf(line) ?? {});
  const asked = messages.find(({ request }) =>
    fieldOf(request, "subtype") === "initialize"
  );
  const answered = messages.findIndex(({ response }) =>
    isObject(response) && response["request_id"] === asked?.["request_id"]
  );
  const answer = lines[answered];
  if (asked === undefined || answer === undefined) return lines;
  const { t } = answer;
  const isEarly = (line: CassetteLine, at: number) =>
    at < answered && line.dir === "in" && messages[at]?.["type"] === "user";
  const early = lines.filter(isEarly)
    .map((line) => t === undefined ? line : { ...line, t });
  const rest = lines.filter((line, at) => !isEarly(line, at));
  rest.splice(rest.indexOf(answer) + 1, 0, ...early);
  return rest;
}

/** One play of a cassette: the channel on which it is played. */
function play(
  lines: readonly CassetteLine[],
  clock: Clock | undefined,
): Channel {
  /** What the host sent then, by its place. */
  const sent = lines.map((line) =>
    line.dir === "in" ? messageOf(line) : undefined
  );
  const kinds = sent.map((then) => then && kindOf(then));
  /** Places of what the host has sent again. */
  const met = new Set<number>();
  /** Ids then -> ids now, of our requests and of hooks. */
  const ids = new Map<string, string>();
  const exited = new Deferred<ExitReport>();
  const stopping = new AbortController();
  /** Answers that the cassette does not hold. */
  const extra: JsonObject[] = [];
  let place = 0;
  let time: number | undefined;
  let hasInputEnded = false;
  let isCutShort = false;
  let stderr = "";
  let stirred = new Deferred<void>();

  return {
    readable: new ReadableStream({
      pull,
      cancel: () => exit(),
    }, { highWaterMark: 0 }),
    exited: exited.promise,
    write(text) {
      if (exited.isSettled) {
        return Promise.reject(
          new Error("Cannot write: the replayed CLI is gone"),
        );
      }
      for (const line of splitLines(text)) accept(parseLine(line));
      stir();
      return Promise.resolve();
    },
    end() {
      hasInputEnded = true;
      stir();
      return Promise.resolve();
    },
    stop(plan) {
      exit({ reason: plan.reason });
      return Promise.resolve();
    },
  };

  async function pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    while (!exited.isSettled) {
      const line = await next();
      if (line === undefined) continue;
      controller.enqueue(encoder.encode(`${line}\n`));
      return;
    }
    controller.close();
  }

  /** The next line to be read; undefined when something else happened instead. */
  async function next(): Promise<string | undefined> {
    const answer = extra.shift();
    if (answer !== undefined) return JSON.stringify(answer);
    const line = isCutShort ? undefined : lines[place];
    if (line === undefined && hasInputEnded) {
      // All is said: it ends as an idle CLI does.
      exit();
      return undefined;
    }
    if (line === undefined || !isDue(line)) {
      await stirred.promise;
      return undefined;
    }
    place++;
    await keepTime(line);
    if (line.dir === "err") stderr += line.text;
    if (line.dir === "meta" && line.event === "exit") {
      const { code, signal } = line;
      exit({
        code: typeof code === "number" ? code : null,
        signal: typeof signal === "string" ? signal : null,
      });
    }
    if (line.dir !== "out") return undefined;
    if ("raw" in line) return line.raw;
    if (!isObject(line.msg)) return JSON.stringify(line.msg);
    forgetCancelled(line.msg);
    return JSON.stringify(withIds(line.msg, ids));
  }

  /** What the CLI takes back may have been answered too late then, and need not be answered now. */
  function forgetCancelled({ type, request_id }: JsonObject): void {
    if (type !== "control_cancel_request") return;
    const kind = kindOf({ type: "control_response", response: { request_id } });
    for (const [at, then] of kinds.entries()) {
      if (then === kind) met.add(at);
    }
  }

  /** Whether the play may go on past this line: what the host did then, it has done again, or can no longer do. */
  function isDue(line: CassetteLine): boolean {
    if (hasInputEnded) return true;
    if (line.dir === "meta") {
      return line.event !== "stdin_close" && line.event !== "stop";
    }
    // The CLI's next words may depend on these.
    return met.has(place) || !AWAITED.has(sent[place]?.["type"]);
  }

  /** Finds what was sent then for what is sent now. */
  function accept(line: JsonObject): void {
    const kind = kindOf(line);
    const at = kinds.findIndex((then, at) => then === kind && !met.has(at));
    const then = sent[at];
    if (then === undefined) return acceptUnknown(line);
    met.add(at);
    const { request_id } = then;
    if (typeof request_id === "string") {
      ids.set(request_id, String(line["request_id"]));
    }
    // Hooks are paired by their place in `initialize`.
    const hooks = hookIds(line);
    for (const [place, before] of hookIds(then)) {
      const now = hooks.get(place);
      if (now !== undefined) ids.set(before, now);
    }
  }

  function acceptUnknown(line: JsonObject): void {
    const { type, request, request_id } = line;
    if (type === "user") {
      stderr += "Replay has no recorded answer to this prompt\n";
      exit({ code: 1 });
    } else if (type === "control_request") {
      const subtype = fieldOf(request, "subtype");
      if (subtype === "interrupt") isCutShort = true;
      const usual = typeof subtype === "string" ? USUAL[subtype] : undefined;
      extra.push({
        type: "control_response",
        response: usual !== undefined
          ? { subtype: "success", request_id, response: usual }
          : {
            subtype: "error",
            request_id,
            error: `Replay has no recorded answer to "${subtype}"`,
          },
      });
    }
  }

  async function keepTime({ t }: CassetteLine): Promise<void> {
    const before = time ?? t;
    time = t;
    if (clock === undefined || t === undefined || before === undefined) return;
    try {
      await clock.sleep(t - before, stopping.signal);
    } catch {
      // It was stopped meanwhile.
    }
  }

  /** The first end counts. */
  function exit(report: Partial<ExitReport> = {}): void {
    if (exited.isSettled) return;
    exited.resolve({ code: 0, signal: null, stderrTail: stderr, ...report });
    stopping.abort();
    stir();
  }

  function stir(): void {
    stirred.resolve();
    stirred = new Deferred();
  }
}

/** What kind of line of the host it is: two of one kind may say different things. */
function kindOf({ type, request, response }: JsonObject): string {
  const about = type === "control_request"
    ? fieldOf(request, "subtype")
    // Ids of the CLI's own requests come from the cassette, so they are the same.
    : type === "control_response"
    ? fieldOf(response, "request_id")
    : "";
  return `${type} ${about}`;
}

/** A recorded line of the CLI with the ids of now. */
function withIds(
  message: JsonObject,
  ids: ReadonlyMap<string, string>,
): JsonObject {
  const { type, subtype, response, request, request_id } = message;
  const known = (id: JsonValue | undefined) =>
    ids.get(String(id)) ?? id ?? null;
  if (type === "control_response" && isObject(response)) {
    const id = known(response["request_id"]);
    return { ...message, response: { ...response, request_id: id } };
  }
  if (type === "control_request" && isObject(request)) {
    const { callback_id } = request;
    if (callback_id === undefined) return message;
    const id = known(callback_id);
    return { ...message, request: { ...request, callback_id: id } };
  }
  return subtype === "control_request_progress"
    ? { ...message, request_id: known(request_id) }
    : message;
}

/** Ids of hooks by event, matcher and place. */
function hookIds(line: JsonObject): ReadonlyMap<string, string> {
  const hooks = fieldOf(line["request"], "hooks");
  const ids = new Map<string, string>();
  if (!isObject(hooks)) return ids;
  for (const [event, matchers] of Object.entries(hooks)) {
    for (const [index, matcher] of asList(matchers).entries()) {
      const list = asList(fieldOf(matcher, "hookCallbackIds"));
      for (const [place, id] of list.entries()) {
        ids.set(`${event} ${index} ${place}`, String(id));
      }
    }
  }
  return ids;
}
