import { isObject } from "../errors/is_object.ts";
import { Deferred } from "../async/deferred.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type {
  Channel,
  ExitReport,
  StopReason,
  Transport,
} from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import { type CassetteLine, messageOf, parseCassette } from "./cassette.ts";
import { hookIds, isSameShape, withIds } from "./replay_match.ts";
import { parseLine, splitLines } from "./wire_lines.ts";

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
      return Promise.resolve(
        new Play(lines, timing ? clock : undefined).channel(),
      );
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

/** A prompt that left with `initialize` then may wait for its answer now. */
function promptsAfterReady(
  lines: readonly CassetteLine[],
): readonly CassetteLine[] {
  const messages = lines.map((line) => messageOf(line) ?? {});
  const asked = messages.find(({ request }) =>
    isObject(request) && request["subtype"] === "initialize"
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

class Play {
  readonly #lines: readonly CassetteLine[];
  readonly #clock: Clock | undefined;
  /** Places of what the host has sent again. */
  readonly #met = new Set<number>();
  /** Ids then -> ids now, of our requests and of hooks. */
  readonly #ids = new Map<string, string>();
  readonly #exited = new Deferred<ExitReport>();
  readonly #stopping = new AbortController();
  /** Answers that the cassette does not hold. */
  readonly #extra: JsonObject[] = [];
  #at = 0;
  #time: number | undefined;
  #hasInputEnded = false;
  #isCutShort = false;
  #stderr = "";
  #stirred = new Deferred<void>();

  constructor(lines: readonly CassetteLine[], clock: Clock | undefined) {
    this.#lines = lines;
    this.#clock = clock;
  }

  channel(): Channel {
    return {
      readable: new ReadableStream({
        pull: (controller) => this.#pull(controller),
        cancel: () => this.#exit(0, null),
      }, { highWaterMark: 0 }),
      exited: this.#exited.promise,
      write: (text) => {
        if (this.#exited.isSettled) {
          return Promise.reject(
            new Error("Cannot write: the replayed CLI is gone"),
          );
        }
        for (const line of splitLines(text)) this.#accept(parseLine(line));
        this.#stir();
        return Promise.resolve();
      },
      end: () => {
        this.#hasInputEnded = true;
        this.#stir();
        return Promise.resolve();
      },
      stop: (plan) => {
        this.#exit(0, null, plan.reason);
        return Promise.resolve();
      },
    };
  }

  async #pull(
    controller: ReadableStreamDefaultController<Uint8Array>,
  ): Promise<void> {
    while (!this.#exited.isSettled) {
      const line = await this.#next();
      if (line === undefined) continue;
      controller.enqueue(encoder.encode(`${line}\n`));
      return;
    }
    controller.close();
  }

  /** The next line to be read; undefined when something else happened instead. */
  async #next(): Promise<string | undefined> {
    const extra = this.#extra.shift();
    if (extra !== undefined) return JSON.stringify(extra);
    const line = this.#isCutShort ? undefined : this.#lines[this.#at];
    if (line === undefined) {
      // All is said: it ends as an idle CLI does.
      if (this.#hasInputEnded) this.#exit(0, null);
      else await this.#untilStirred();
      return undefined;
    }
    if (!this.#isDue(line, this.#at)) {
      await this.#untilStirred();
      return undefined;
    }
    this.#at++;
    await this.#keepTime(line);
    if (line.dir === "err") this.#stderr += line.text;
    if (line.dir === "meta" && line.event === "exit") {
      const { code, signal } = line;
      this.#exit(
        typeof code === "number" ? code : null,
        typeof signal === "string" ? signal : null,
      );
    }
    if (line.dir !== "out") return undefined;
    if ("raw" in line) return line.raw;
    if (!isObject(line.msg)) return JSON.stringify(line.msg);
    this.#forgetCancelled(line.msg);
    return JSON.stringify(withIds(line.msg, this.#ids));
  }

  /** What the CLI takes back may have been answered too late then, and need not be answered now. */
  #forgetCancelled({ type, request_id }: JsonObject): void {
    if (type !== "control_cancel_request") return;
    const answer = { type: "control_response", response: { request_id } };
    for (const [at, line] of this.#lines.entries()) {
      const message = line.dir === "in" ? messageOf(line) : undefined;
      if (message !== undefined && isSameShape(message, answer)) {
        this.#met.add(at);
      }
    }
  }

  /** Whether the play may go on past this line: what the host did then, it has done again, or can no longer do. */
  #isDue(line: CassetteLine, at: number): boolean {
    if (this.#hasInputEnded) return true;
    if (line.dir === "meta") {
      return line.event !== "stdin_close" && line.event !== "stop";
    }
    if (line.dir !== "in") return true;
    return this.#met.has(at) || !isAwaited(messageOf(line));
  }

  /** Finds what was sent then for what is sent now. */
  #accept(line: JsonObject): void {
    const at = this.#lines.findIndex((then, at) => {
      const message = then.dir === "in" ? messageOf(then) : undefined;
      return message !== undefined && !this.#met.has(at) &&
        isSameShape(message, line);
    });
    const then = this.#lines[at];
    if (then === undefined) return this.#acceptUnknown(line);
    this.#met.add(at);
    const message = messageOf(then) ?? {};
    const { request_id } = message;
    if (typeof request_id === "string") {
      this.#ids.set(request_id, String(line["request_id"]));
    }
    for (const [before, now] of hookIds(message, line)) {
      this.#ids.set(before, now);
    }
  }

  #acceptUnknown(line: JsonObject): void {
    const { type, request, request_id } = line;
    if (type === "user") {
      this.#stderr += "Replay has no recorded answer to this prompt\n";
      this.#exit(1, null);
    } else if (type === "control_request") {
      const subtype = isObject(request) ? request["subtype"] : undefined;
      if (subtype === "interrupt") this.#isCutShort = true;
      const usual = typeof subtype === "string" ? USUAL[subtype] : undefined;
      this.#extra.push({
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

  async #keepTime({ t }: CassetteLine): Promise<void> {
    const before = this.#time ?? t;
    this.#time = t;
    if (this.#clock === undefined || t === undefined || before === undefined) {
      return;
    }
    try {
      await this.#clock.sleep(t - before, this.#stopping.signal);
    } catch {
      // It was stopped meanwhile.
    }
  }

  #exit(code: number | null, signal: string | null, reason?: StopReason): void {
    if (this.#exited.isSettled) return;
    this.#exited.resolve({
      code,
      signal,
      stderrTail: this.#stderr,
      ...(reason === undefined ? {} : { reason }),
    });
    this.#stopping.abort();
    this.#stir();
  }

  async #untilStirred(): Promise<void> {
    await this.#stirred.promise;
  }

  #stir(): void {
    this.#stirred.resolve();
    this.#stirred = new Deferred();
  }
}

/** Whether the CLI's next words may depend on it. */
function isAwaited(message: JsonObject | undefined): boolean {
  const type = message?.["type"];
  return type === "user" || type === "control_request" ||
    type === "control_response";
}
