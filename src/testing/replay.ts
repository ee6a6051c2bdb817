import { asList, asObject } from "../errors/text.ts";
import { systemClock } from "../async/system_clock.ts";
import type { Clock } from "../ports/clock.ts";
import type { Channel, ExitReport, Transport } from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import { memoryChannel } from "./memory_channel.ts";
import { messageOf, parseRecording, type RecordedLine } from "./recording.ts";
import { Watch } from "./watch.ts";
import { parseLine } from "./lines.ts";

/** Settings of a replay. */
export interface ReplayOptions {
  /** Whether the CLI's pauses are kept; false by default: as fast as it is read. */
  readonly timing?: boolean | undefined;
  /** Time for the pauses. */
  readonly clock?: Clock | undefined;
}

/**
 * Creates a transport that replays a recording: each output of the CLI is sent again once the program has sent the
 * input that preceded it.
 *
 * Shape:
 * - Lines of the host are matched with the recorded ones by kind (a prompt, a control request of a subtype, an answer to
 *   the same request), not by text and not by order. Ids of requests and hooks are translated.
 * - An unrecorded control request gets an error; those of a start with hooks succeed, and `interrupt` succeeds and ends
 *   the replay.
 * - An unrecorded prompt ends it with exit code 1 and the reason on stderr.
 * - It can be opened any number of times.
 *
 * @param recording Its text, as {@link record} wrote it
 * @param options Whether pauses are kept
 * @returns The transport, for the option `transport`
 * @throws {ConfigError} If the recording is broken, or newer than this package
 *
 * @example Replay a conversation without a CLI
 * ```ts
 * import { query } from "@sluice/agent";
 * import { replay } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const recording = [
 *   { dir: "meta", event: "cassette", version: 1 },
 *   { dir: "in", msg: { type: "control_request", request_id: "a", request: { subtype: "initialize" } } },
 *   { dir: "in", msg: { type: "user", message: { role: "user", content: "hi" } } },
 *   { dir: "out", msg: { type: "control_response", response: { subtype: "success", request_id: "a", response: {} } } },
 *   { dir: "out", msg: {
 *     type: "result", subtype: "success", is_error: false, result: "Hello", duration_ms: 1, duration_api_ms: 1, num_turns: 1,
 *     stop_reason: "end_turn", total_cost_usd: 0, usage: {}, modelUsage: {}, permission_denials: [], uuid: "u", session_id: "s",
 *   } },
 * ];
 * const transport = replay(recording.map((line) => JSON.stringify(line)).join("\n"));
 * assert.equal(await query("hi", { transport }).text(), "Hello");
 * ```
 */
export function replay(
  recording: string,
  { timing = false, clock = systemClock }: ReplayOptions = {},
): Transport {
  const lines = promptsAfterReady(parseRecording(recording));
  return {
    open(_launch, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      return Promise.resolve(play(lines, timing ? clock : undefined));
    },
  };
}

/** Answers that need no recording: to the requests of a start with hooks, which earlier versions did not send, and to a stop. */
const DEFAULTS: Readonly<Record<string, JsonObject>> = {
  apply_flag_settings: {},
  get_hooks_listing: { events: [], hooks: [], eventCatalog: [] },
  interrupt: { still_queued: [] },
};

const AWAITED: ReadonlySet<unknown> = new Set([
  "user",
  "control_request",
  "control_response",
]);

/** Moves prompts behind the answer to `initialize`: they may have left before it then, and wait for it now. */
function promptsAfterReady(
  lines: readonly RecordedLine[],
): readonly RecordedLine[] {
  const messages = lines.map((line) => messageOf(line) ?? {});
  const asked = messages.find(({ request }) =>
    asObject(request).subtype === "initialize"
  );
  const answer = messages.findIndex(({ response }) =>
    asked !== undefined &&
    asObject(response).request_id === asked["request_id"]
  );
  const isEarly = (line: RecordedLine, at: number) =>
    at < answer && line.dir === "in" && messages[at]?.["type"] === "user";
  return [
    ...lines.slice(0, answer + 1).filter((line, at) => !isEarly(line, at)),
    ...lines.filter(isEarly),
    ...lines.slice(answer + 1),
  ];
}

function play(
  lines: readonly RecordedLine[],
  clock: Clock | undefined,
): Channel {
  /** The recorded lines of the host by their place, and their kinds. */
  const sent = lines.map((line) =>
    line.dir === "in" ? messageOf(line) : undefined
  );
  const kinds = sent.map((line) => line && kindOf(line));
  /** Places of lines that the host has sent again. */
  const met = new Set<number>();
  /** Recorded ids of our requests and of hooks -> current ids. */
  const ids = new Map<string, string>();
  const stopping = new AbortController();
  const watch = new Watch();
  let time: number | undefined;
  let hasInputEnded = false;
  let isCutShort = false;
  let stderr = "";
  const memory = memoryChannel({
    onLine(text) {
      accept(parseLine(text));
      watch.stir();
    },
    onEnd() {
      hasInputEnded = true;
      watch.stir();
    },
    onStop: () => exit(),
  });
  void playAll();
  return memory.channel;

  async function playAll(): Promise<void> {
    for (const [place, line] of lines.entries()) {
      const isOver = () => isCutShort || memory.hasExited();
      await watch.until(() => isOver() || isDue(line, place) || undefined);
      if (!isOver()) await keepTime(line);
      if (isOver()) break;
      if (line.dir === "err") stderr += line.text;
      if (line.dir === "meta" && line.event === "exit") {
        const { code, signal } = line;
        return exit({
          code: typeof code === "number" ? code : null,
          signal: typeof signal === "string" ? signal : null,
        });
      }
      if (line.dir === "out") await memory.send(`${outputOf(line)}\n`);
    }
    // It ends as an idle CLI does.
    await watch.until(() => hasInputEnded || undefined);
    exit();
  }

  function outputOf(line: RecordedLine): string {
    if ("raw" in line) return String(line.raw);
    const message = messageOf(line);
    if (message === undefined) return JSON.stringify(line["msg" as never]);
    const { type, request_id } = message;
    if (type === "control_cancel_request") {
      // The answer may have come too late then, and need not come now.
      const response = { type: "control_response", response: { request_id } };
      kinds.forEach((kind, at) => kind === kindOf(response) && met.add(at));
    }
    return JSON.stringify(withIds(message, ids));
  }

  /** Whether the replay may pass this line: the host has sent it again, or no longer can. */
  function isDue(line: RecordedLine, place: number): boolean {
    if (hasInputEnded) return true;
    if (line.dir === "meta") {
      return line.event !== "stdin_close" && line.event !== "stop";
    }
    // Later output may depend on these.
    return met.has(place) || !AWAITED.has(sent[place]?.["type"]);
  }

  /** Finds the recorded line for one that the host sends now. */
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

  function acceptUnknown({ type, request, request_id }: JsonObject): void {
    if (type === "user") {
      stderr += "Replay has no recorded answer to this prompt\n";
      exit({ code: 1 });
    } else if (type === "control_request") {
      const subtype = String(asObject(request).subtype);
      if (subtype === "interrupt") isCutShort = true;
      const response = DEFAULTS[subtype];
      const error = `Replay has no recorded answer to "${subtype}"`;
      const answer = {
        type: "control_response",
        response: response === undefined
          ? { subtype: "error", request_id, error }
          : { subtype: "success", request_id, response },
      };
      void memory.send(`${JSON.stringify(answer)}\n`);
    }
  }

  async function keepTime({ t = time }: RecordedLine): Promise<void> {
    if (clock === undefined || t === undefined) return;
    const pause = t - (time ?? t);
    time = Math.max(time ?? t, t);
    // It may be stopped meanwhile.
    await clock.sleep(pause, stopping.signal).catch(() => {});
  }

  function exit(report: Partial<ExitReport> = {}): void {
    memory.exit({ stderrTail: stderr, ...report });
    stopping.abort();
    watch.stir();
  }
}

/** The kind of a line of the host: two of one kind may differ in content. */
function kindOf({ type, request, response }: JsonObject): string {
  const about = type === "control_request"
    ? asObject(request).subtype
    // Ids of the CLI's own requests come from the recording, so they are the same.
    : type === "control_response"
    ? asObject(response).request_id
    : "";
  return `${type} ${about}`;
}

/** A recorded line of the CLI with the current ids of requests and hooks. */
function withIds(
  message: JsonObject,
  ids: ReadonlyMap<unknown, string>,
): JsonObject {
  return JSON.parse(
    JSON.stringify(message),
    (name, id) =>
      name === "request_id" || name === "callback_id" ? ids.get(id) ?? id : id,
  );
}

function hookIds(line: JsonObject): ReadonlyMap<string, string> {
  const hooks = asObject(line["request"]).hooks;
  return new Map(
    Object.entries(hooks ?? {}).flatMap(([event, matchers]) =>
      asList(matchers)
        .flatMap((matcher) => asList(asObject(matcher).hookCallbackIds))
        .map((id, place) => [`${event} ${place}`, String(id)])
    ),
  );
}
