import type { Deadline } from "../async/deadline.ts";
import { MessageTooLargeError } from "../errors/cli.ts";
import { ParseError } from "../errors/parse.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { beginningOf, textOfError } from "../errors/text.ts";
import { byteLength } from "../stream/byte_length.ts";
import { JsonDecoder } from "../stream/json_decoder.ts";
import {
  copyOf,
  LineFramer,
  lineSizes,
  type Piece,
} from "../stream/line_framer.ts";
import type { Window } from "../stream/window.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Message } from "../types/message.ts";
import type { Parser } from "../parse/parser.ts";
import type { Outbox } from "../wire/outbox.ts";
import { mayWait } from "../wire/peek.ts";
import type { Router } from "../wire/router.ts";
import type { Parts } from "./parts.ts";

/** So much of a text is cleaned of secrets, before even less of it is shown. */
const CLEANED_LENGTH = 4_096;

/** Lines that are parsed before the time is looked at; a chunk of messages has fewer. */
const MOST_LINES = 256;
/** A chunk of bad lines that takes longer, in milliseconds, goes on in the next turn of the event loop. */
const MOST_MS = 50;

/** The stages, and what stands around them. */
export interface PipelineInit {
  /** Bytes to lines. */
  readonly framer: LineFramer;
  /** Lines to values. */
  readonly decoder: JsonDecoder;
  /** The same for what was kept: it never waits for another line, and must not end the wait of a later one. */
  readonly keptDecoder: JsonDecoder;
  /** Values to objects; control lines leave here. */
  readonly router: Router;
  /** Objects to messages. */
  readonly parser: Parser;
  /** Looks at what passes, and takes out what is for the host alone. */
  readonly see: (
    messages: readonly Message[],
    isLate: boolean,
  ) => readonly Message[];
  /** Whether everything has to be seen at once: a turn may begin with it. */
  readonly isBetweenTurns: () => boolean;
  /** Where messages wait for the consumer. */
  readonly window: Window<Message>;
  /** Held while a batch is walked, so that its answers share a write. */
  readonly outbox: Outbox;
  /** Whether a chunk's memory is used again after `push()`. */
  readonly isReused: boolean;
  /** Time. */
  readonly now: () => number;
  /** Hears of each chunk. */
  readonly onRead: (chunk: Uint8Array) => void;
  /** Hears of lines that say that work goes on. */
  readonly onSign: () => void;
  /** Hears of the lines of a piece. */
  readonly onLines: (lines: readonly string[]) => void;
  /** Hears of a piece that stays bytes, instead. */
  readonly onKept: (piece: Piece) => void;
  /** Calls back when lines that are held have waited too long for others to complete them. */
  readonly limitHeld: (onPass: () => void) => Deadline;
  /** A stage itself failed. */
  readonly onFault: (error: unknown) => void;
}

/** Makes the stages of a conversation and joins them. */
export function joinStages(parts: Parts, isReused: boolean): Pipeline {
  const { settings, host, router, parser, turns, window, outbox } = parts;
  const { meter, metrics, deadlines, report, context, ending, shown } = parts;
  const { maxMessageBytes } = settings.limits;
  // Measuring a line costs as much as parsing it: only for whoever asks.
  const isCounted =
    settings.options.metrics?.transport?.messageReceived !== undefined;
  const makeDecoder = () =>
    new JsonDecoder({
      maxTextLength: maxMessageBytes,
      onBadText: (text, cause) => {
        if (text.trimStart().startsWith("{")) loseLine();
        report(notJson(text, cause, shown));
      },
    });
  // What is parsed late was looked at when it came: it is no result.
  const loseLine = () => {
    if (!pipeline.isLate) turns.lostLine();
  };
  const pipeline: Pipeline = new Pipeline({
    framer: new LineFramer({
      maxLineBytes: maxMessageBytes,
      isAscii: (bytes) => host.isAscii(bytes),
      wideLineBytes: host.tuning.wideLineBytes,
      isReused,
      onTooLong: (bytes) => {
        loseLine();
        report(
          new MessageTooLargeError({
            bytes,
            limit: maxMessageBytes,
            context: context(),
          }),
        );
      },
    }),
    decoder: makeDecoder(),
    keptDecoder: makeDecoder(),
    router,
    parser,
    see: (messages, isLate) => {
      if (!turns.isStdinClosed) return turns.see(messages, isLate);
      const wasBusy = turns.isBusy;
      const seen = turns.see(messages, isLate);
      if (wasBusy || turns.isBusy) meter.lastWorkMs = settings.clock.now();
      return seen;
    },
    isBetweenTurns: () => !turns.hasSpoken,
    window,
    outbox,
    isReused,
    now: () => settings.clock.now(),
    onRead: (chunk) => meter.read(chunk.length, settings.clock.now()),
    onSign: () => void (meter.lastSignMs = settings.clock.now()),
    onLines: (lines) => {
      meter.messagesReceived += lines.length;
      if (!isCounted || metrics.transport === undefined) return;
      for (const line of lines) {
        metrics.transport.messageReceived(byteLength(line));
      }
    },
    onKept: (piece) => {
      const sizes = lineSizes(piece);
      meter.messagesReceived += sizes.length;
      if (!isCounted) return;
      for (const bytes of sizes) metrics.transport?.messageReceived(bytes);
    },
    limitHeld: (onPass) => deadlines.add(settings.health.idleMs, onPass),
    onFault: (cause) =>
      void ending.fail(
        new ProtocolError({
          message: `Messages could not be routed: ${textOfError(cause)}`,
          category: "protocol",
          cause,
          fatal: true,
        }),
      ),
  });
  return pipeline;
}

/** The one place that joins the stages: bytes in, batches of messages into the window. */
export class Pipeline {
  readonly #init: PipelineInit;
  /** What stands in front of a question is there before it is asked. */
  readonly #goAhead: (objects: JsonObject[]) => void;
  #heldLimit: Deadline | undefined;
  #isLate = false;
  /** Lines of a chunk that took too long. */
  #rest: readonly string[] = [];

  constructor(init: PipelineInit) {
    this.#init = init;
    const { parser, see } = init;
    this.#goAhead = (objects) =>
      this.#deliver(see(parser.push(objects), this.#isLate), 0);
  }

  /** Bytes of a line in progress. */
  get heldBytes(): number {
    return this.#init.framer.heldBytes;
  }

  /** Whether it is at what was kept, after others that came behind it. */
  get isLate(): boolean {
    return this.#isLate;
  }

  /** Whether lines of the last chunk are left for {@link resume}. */
  get isBehind(): boolean {
    return this.#rest.length > 0;
  }

  /** Takes a chunk. */
  push(chunk: Uint8Array): void {
    const { framer, decoder, window, onRead, onKept, isBetweenTurns } =
      this.#init;
    // A transport of the user's may give anything.
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError("The output is no stream of bytes");
    }
    onRead(chunk);
    const piece = framer.cut(chunk);
    if (piece === undefined) return;
    const isWanted = window.isWaited || decoder.isJoining || isBetweenTurns();
    if (!isWanted && mayWait(piece)) {
      // Nobody waits, and nothing in it must be seen now: it stays bytes until it is taken.
      const kept = this.#keep(piece);
      onKept(kept);
      window.put(() => this.#parseKept(kept), kept.bytes);
    } else {
      this.#take(framer.lines(piece), piece.bytes);
    }
  }

  /** Goes on with the last chunk. */
  resume(): void {
    this.#take(this.#rest, 0);
  }

  /** The output has ended: what was still held comes out. */
  end(): void {
    const { framer, decoder } = this.#init;
    this.#deliver(this.#read(framer.end()), 0);
    decoder.end();
    this.#limitHeld();
  }

  #take(lines: readonly string[], bytes: number): void {
    const { now } = this.#init;
    const began = now();
    let from = 0;
    do {
      const some = lines.length > MOST_LINES
        ? lines.slice(from, from + MOST_LINES)
        : lines;
      this.#deliver(this.#read(some), from === 0 ? bytes : 0);
      from += MOST_LINES;
    } while (from < lines.length && now() - began < MOST_MS);
    this.#rest = lines.slice(from);
    this.#limitHeld();
  }

  #deliver(messages: readonly Message[], bytes: number): void {
    if (messages.length > 0) this.#init.window.put(messages, bytes);
  }

  /** Lines that are parsed as they arrive. */
  #read(lines: readonly string[]): readonly Message[] {
    const { decoder, onLines } = this.#init;
    onLines(lines);
    return this.#parse(lines, decoder);
  }

  /** A session that says nothing more must be told of the line that it broke: it may have been the result. */
  #limitHeld(): void {
    const { decoder, limitHeld } = this.#init;
    this.#heldLimit?.cancel();
    this.#heldLimit = decoder.isJoining
      ? limitHeld(() => decoder.giveUp())
      : undefined;
  }

  #parseKept(piece: Piece): readonly Message[] {
    const { framer, keptDecoder } = this.#init;
    this.#isLate = true;
    try {
      return this.#parse(framer.lines(piece), keptDecoder);
    } finally {
      this.#isLate = false;
    }
  }

  #parse(lines: readonly string[], decoder: JsonDecoder): readonly Message[] {
    const { router, parser, see, outbox, onSign, onFault } = this.#init;
    outbox.hold();
    try {
      const values = decoder.push(lines);
      if (values.some(isSign)) onSign();
      return see(
        parser.push(router.push(values, this.#goAhead)),
        this.#isLate,
      );
    } catch (error) {
      onFault(error);
      return [];
    } finally {
      outbox.release();
    }
  }

  #keep(piece: Piece): Piece {
    if (!this.#init.isReused || piece.body === undefined) return piece;
    return { ...piece, body: copyOf(piece.body) };
  }
}

/** `keep_alive` says that the CLI is there, not that it works; what has no type is no line of its own. */
function isSign(value: JsonValue): boolean {
  if (typeof value !== "object" || value === null) return false;
  const { type } = value as JsonObject;
  return typeof type === "string" && type !== "keep_alive";
}

function notJson(
  text: string,
  cause: unknown,
  scrub: (text: string) => string,
): ParseError {
  const beginning = beginningOf(text, CLEANED_LENGTH);
  const clean = scrub(beginning);
  return new ParseError({
    message: "Line of the CLI is not JSON",
    messageType: "line",
    rawData: beginningOf(clean),
    // The parser's error quotes the text.
    cause: clean === beginning ? cause : new SyntaxError("Text is no JSON"),
  });
}
