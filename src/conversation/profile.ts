import type { Core } from "./core.ts";
import type { Profile } from "../engine/profile.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError, MessageTooLargeError } from "../errors/cli.ts";
import { ParseError, ProtocolError } from "../errors/protocol.ts";
import { beginningOf, textOfError } from "../errors/text.ts";
import type { Settings } from "../options/settings.ts";
import type { Parser } from "../parse/parser.ts";
import type { Message } from "../protocol/messages_other.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { OpenRequest } from "../wire/requests.ts";
import { mayWait } from "../wire/router.ts";
import type { Turns } from "./turns.ts";
import { isBusy } from "./work.ts";

/** So much of a text is redacted, before even less of it is shown. */
const CLEANED_LENGTH = 4_096;

/** The stages that lines of the CLI pass. */
interface Stages extends Pick<Profile<Message>, "control"> {
  readonly turns: Turns;
  readonly parser: Parser;
  readonly mirror: ((line: JsonObject) => void) | undefined;
  readonly queueFull: () => void;
}

/** The manners of a conversation: limits, typed messages, errors of this package. */
export function conversationProfile(
  {
    settings,
    host,
    life,
    observation,
    deadlines,
    timeouts: waits,
    meter,
    reporter,
  }: Core,
  { control, turns, parser, mirror, queueFull }: Stages,
): Profile<Message> {
  const { clock, limits, health, timeouts, options } = settings;
  const { queue } = life;
  const { log, metrics, report, count, redact, redactError, context } =
    reporter;
  const { messageReceived, messageSent } = options.metrics?.transport ?? {};
  const onSign = () => {
    meter.lastSignMs = clock.monotonic();
  };
  let results = 0;
  return {
    host,
    time: { clock, deadlines },
    queue,
    control,
    limits: {
      lineBytes: limits.maxMessageBytes,
      readAheadBytes: limits.readAheadBytes,
      unreadBytes: limits.maxBufferedBytes,
      joinMs: health.idleMs,
      writeMs: timeouts.writeMs,
      quietMs: waits.ms("quietOutput"),
      lateMs: waits.ms("lateOutput"),
    },
    messages: {
      mirror,
      read(objects, isLate) {
        const messages = parser.push(objects);
        observation.observer?.messages(messages);
        if (!turns.state.isStdinClosed || messages.length === 0) {
          return turns.see(messages, isLate);
        }
        const wasBusy = isBusy(turns.state);
        const seen = turns.see(messages, isLate);
        if (wasBusy || isBusy(turns.state)) {
          meter.lastWorkMs = clock.monotonic();
        }
        return seen;
      },
      // Between turns everything has to be seen at once: one may begin with it.
      mayWait: (piece) =>
        // An observer gets all messages in their order, and in time.
        observation.observer === undefined &&
        turns.state.hasSpoken && mayWait(piece, mirror !== undefined),
      afterChunk() {
        // Errors in a turn are reported by its end, also when its messages are unread.
        if (turns.state.results === results) return;
        results = turns.state.results;
        queue.settle();
      },
    },
    observed: {
      meter,
      telling: {
        clock,
        onSign,
        metrics: metrics.protocol,
        log,
        redact,
        report,
      },
      onValues(values) {
        if (values.some(isSign)) onSign();
      },
      onLine: messageReceived &&
        ((bytes) => metrics.transport?.messageReceived(bytes)),
      onWritten({ lines }) {
        if (messageSent === undefined) return;
        for (const line of lines) {
          metrics.transport?.messageSent(byteLength(line));
        }
      },
    },
    faults: {
      tooLong: (bytes) =>
        report(
          new MessageTooLargeError({
            bytes,
            limit: limits.maxMessageBytes,
            context: context(),
          }),
        ),
      notJson: (text, cause) => report(notJson(text, cause, redact)),
      unwritten(message, cause) {
        const more = cause === undefined ? "" : `: ${textOfError(cause)}`;
        const error = redactError(
          new CliError({
            stage: "write",
            message: `${message}${more}`,
            cause,
            fatal: false,
            context: context(),
          }),
        );
        count(error);
        return error;
      },
      answersLost: (error) => report(error as AgentError),
      queueFull,
      internal: (cause) =>
        void life.fail(
          new ProtocolError({
            message: `Messages could not be routed: ${textOfError(cause)}`,
            category: "protocol",
            cause,
            fatal: true,
          }),
        ),
    },
  };
}

/** The error for a request whose answer is behind too many unread messages. */
export function tooFull(
  { limits: { maxBufferedBytes } }: Settings,
  { id, subtype, data }: OpenRequest,
): ProtocolError {
  return new ProtocolError({
    message:
      `Answer is behind too many unread messages: "limits.maxBufferedBytes" is ${maxBufferedBytes}`,
    category: "transport",
    requestId: id,
    subtype,
    requestData: data,
  });
}

/** Lines that show no progress on their own: of control lines those do that a request of either side waits for. */
const NO_SIGNS: ReadonlySet<string> = new Set([
  "keep_alive",
  "control_request",
  "control_response",
  "control_cancel_request",
]);

function isSign(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type } = value as JsonObject;
  // A line without a type belongs to another line.
  return typeof type === "string" && !NO_SIGNS.has(type);
}

function notJson(
  text: string,
  cause: unknown,
  redact: (text: string) => string,
): ParseError {
  const beginning = beginningOf(text, CLEANED_LENGTH);
  const clean = redact(beginning);
  return new ParseError({
    message: "Line of the CLI is not JSON",
    messageType: "line",
    rawData: beginningOf(clean),
    // The parser's error quotes the text.
    cause: clean === beginning ? cause : new SyntaxError("Text is no JSON"),
  });
}
