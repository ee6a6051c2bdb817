import { MessageTooLargeError } from "../errors/cli.ts";
import { ParseError, ProtocolError } from "../errors/protocol.ts";
import { beginningOf, textOfError } from "../errors/text.ts";
import { byteLength } from "../stream/byte_length.ts";
import {
  copyOf,
  LineFramer,
  lineSizes,
  type Piece,
} from "../stream/line_framer.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { Turns } from "./turns.ts";
import type { Parser } from "../parse/parser.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { ByteReader } from "../stream/byte_reader.ts";
import type { Deadline, Deadlines } from "../async/deadline.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { Host } from "../ports/host.ts";
import type { Queue } from "../stream/queue.ts";
import type { Ending } from "./ending.ts";
import type { Reporter } from "./reporter.ts";
import { isBusy } from "./work.ts";
import { JsonDecoder } from "../stream/json.ts";
import { mayWait, type Router } from "../wire/router.ts";

/** After so many reads the event loop has its turn: an output that never rests would keep timers and the exit from being seen. */
const READS_A_TURN = 64;
/** The same after so long, in milliseconds: a chunk of bad lines takes long, and then goes on in the next turn. */
const MOST_MS = 50;
/** Lines that are parsed before the time is looked at; a chunk of messages has fewer. */
const MOST_LINES = 256;

/** Who wants what a {@link Pump} reads. */
interface Demand {
  readonly queue: Queue<Message>;
  readonly host: Host;
  readonly settings: Settings;
}

/** What a {@link Pump} reads, and who is told. */
interface Output {
  readonly reader: ByteReader;
  /** What a chunk goes through. */
  readonly pipeline: Pipeline;
  /** Requests of ours that wait for an answer. */
  readonly pending: { readonly size: number };
  /** Requests of ours wait behind more than `maxBufferedBytes`. */
  readonly onFull: () => void;
  /** The output has ended, or broke. */
  readonly onEnd: (error?: unknown) => void;
}

/**
 * The only reader of the CLI's output.
 *
 * Demand comes first: it reads when a consumer waits. A consumer that lets a turn of the event loop pass without asking
 * is busy; then it reads ahead, so that control lines flow. Reading ahead at once instead builds a pile in front of a
 * fast consumer, which costs up to 70 % more time. Measured: performance reference.
 */
export class Pump {
  readonly #demand: Demand;
  #output: Output | undefined;
  #isRunning = false;
  #isEnded = false;
  #isAhead = false;
  #isDraining = false;
  #isWatching = false;

  constructor(demand: Demand) {
    this.#demand = demand;
  }

  /** Begins; before that there is nothing to read. */
  start(output: Output): void {
    this.#output = output;
    if (!this.#isDraining) this.watch();
    else this.run();
  }

  /** Reads on if there is a reason to; called by whoever makes one. */
  run(): void {
    if (this.#isRunning || this.#isEnded || this.#output === undefined) return;
    this.#loop(this.#output);
  }

  /** Somebody asked for a batch: demand rules again. */
  demanded(): void {
    this.#isAhead = false;
    this.run();
  }

  /** From now on what comes is dropped: a full pipe would keep the CLI from ending. */
  drain(): void {
    this.#isDraining = true;
    this.run();
  }

  /** After every hand-over: has the consumer come back by the next turn? */
  watch(): void {
    if (this.#isWatching || this.#isEnded) return;
    this.#isWatching = true;
    const { queue, host } = this.#demand;
    const before = queue.demands;
    host.nextTurn(() => {
      this.#isWatching = false;
      if (queue.isWaited) return;
      if (queue.demands !== before) return this.watch();
      this.#isAhead = true;
      this.run();
    });
  }

  async #loop(output: Output): Promise<void> {
    this.#isRunning = true;
    const { reader, pipeline } = output;
    const { clock } = this.#demand.settings;
    try {
      let turnMs = clock.monotonic();
      for (let reads = 1; this.#mayRead(output); reads++) {
        if (
          reads % READS_A_TURN === 0 || clock.monotonic() - turnMs >= MOST_MS
        ) {
          await this.#nextTurn();
          turnMs = clock.monotonic();
        }
        const chunk = await reader.read();
        if (chunk === undefined) return this.#end(output);
        if (this.#isDraining) {
          pipeline.drop(chunk);
          continue;
        }
        pipeline.push(chunk);
        while (pipeline.isBehind && !this.#isDraining) {
          await this.#nextTurn();
          turnMs = clock.monotonic();
          reader.goOn();
          if (reader.isSpent) {
            await reader.cancel();
            return this.#end(output);
          }
          pipeline.resume();
        }
      }
    } catch (error) {
      this.#end(output, error);
    } finally {
      this.#isRunning = false;
      reader.rest();
    }
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#demand.host.nextTurn(resolve));
  }

  #mayRead({ pending, pipeline, onFull }: Output): boolean {
    if (this.#isEnded) return false;
    const { queue, settings } = this.#demand;
    const { readAheadBytes, maxBufferedBytes } = settings.limits;
    if (this.#isDraining || queue.isWaited) return true;
    const bytes = queue.bytes + pipeline.heldBytes;
    if (this.#isAhead && bytes < readAheadBytes) return true;
    if (pending.size === 0) return false;
    if (bytes < maxBufferedBytes) return true;
    onFull();
    return false;
  }

  #end({ pipeline, onEnd }: Output, error?: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    try {
      if (this.#isDraining) pipeline.drop(undefined);
      else pipeline.end();
    } catch (cause) {
      return onEnd(error ?? cause);
    }
    onEnd(error);
  }
}

/** How a line begins that tells what the CLI writes to disk. */
const MIRROR_START = '{"type":"transcript_mirror"';
/** So much of a text is cleaned of secrets, before even less of it is shown. */
const CLEANED_LENGTH = 4_096;

/** The conversation whose output it is. */
interface Around extends Demand {
  readonly meter: Meter;
  readonly reporter: Reporter;
  readonly deadlines: Deadlines;
  readonly ending: Ending;
  /** The copy of the session, where one is kept. */
  readonly transcripts?: unknown;
}

/** The stages behind the framer and the decoder. */
interface Stages {
  readonly router: Router;
  readonly parser: Parser;
  readonly turns: Turns;
  readonly outbox: Outbox;
}

/** The one place that joins the stages: bytes in, batches of messages into the queue. */
export class Pipeline {
  readonly #around: Around;
  readonly #stages: Stages;
  /** Whether a chunk's memory is used again after `push()`. */
  readonly #isReused: boolean;
  /** Whether sizes of messages are told: measuring a line costs as much as parsing it. */
  readonly #isMeasured: boolean;
  /** Whether a copy of what the CLI writes to disk is kept: it must not wait, nor be dropped. */
  readonly #isMirrored: boolean;
  readonly #framer: LineFramer;
  readonly #decoder: JsonDecoder;
  /** The same for what was kept: it never waits for another line, and must not end the wait of a later one. */
  readonly #keptDecoder: JsonDecoder;
  /** What stands in front of a question is there before it is asked. */
  readonly #goAhead = (objects: JsonObject[]): void =>
    this.#deliver(this.#see(this.#stages.parser.push(objects)), 0);
  #heldLimit: Deadline | undefined;
  #isLate = false;
  /** Lines of a chunk that took too long. */
  #rest: readonly string[] = [];

  constructor(around: Around, stages: Stages, isReused: boolean) {
    const { settings, host } = around;
    const { maxMessageBytes } = settings.limits;
    this.#around = around;
    this.#stages = stages;
    this.#isReused = isReused;
    this.#isMeasured =
      settings.options.metrics?.transport?.messageReceived !== undefined;
    this.#isMirrored = around.transcripts !== undefined;
    this.#framer = new LineFramer({
      maxLineBytes: maxMessageBytes,
      isAscii: (bytes) => host.isAscii(bytes),
      wideLineBytes: host.tuning.wideLineBytes,
      isReused,
      onTooLong: (bytes) => this.#tellTooLong(bytes),
    });
    this.#decoder = this.#makeDecoder();
    this.#keptDecoder = this.#makeDecoder();
  }

  /** Bytes of a line in progress. */
  get heldBytes(): number {
    return this.#framer.heldBytes;
  }

  /** Whether lines of the last chunk are left for {@link resume}. */
  get isBehind(): boolean {
    return this.#rest.length > 0;
  }

  /** Takes a chunk. */
  push(chunk: Uint8Array): void {
    const { queue, meter, settings } = this.#around;
    const { turns } = this.#stages;
    // A transport of the user's may give anything.
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError("The output is no stream of bytes");
    }
    meter.read(chunk.length, settings.clock);
    const piece = this.#framer.cut(chunk);
    if (piece === undefined) return;
    // Between turns everything has to be seen at once: one may begin with it.
    const isWanted = queue.isWaited || this.#decoder.isJoining ||
      !turns.state.hasSpoken;
    const { results } = turns.state;
    if (!isWanted && mayWait(piece, this.#isMirrored)) {
      // Nobody waits, and nothing in it must be seen now: it stays bytes until it is taken.
      const kept = this.#keep(piece);
      this.#countKept(kept);
      queue.put(() => this.#parseKept(kept), kept.bytes);
    } else {
      this.#take(this.#framer.lines(piece), piece.bytes);
      // What is wrong with a turn is told by its end, also where nobody takes its messages.
      if (turns.state.results > results) queue.settle();
    }
  }

  /** Goes on with the last chunk. */
  resume(): void {
    this.#take(this.#rest, 0);
  }

  /** Takes a chunk of which nobody wants the messages any more, or that the output is over. */
  drop(chunk: Uint8Array | undefined): void {
    if (!this.#isMirrored) return;
    const lines = chunk === undefined
      ? this.#framer.end()
      : this.#framer.push(chunk);
    for (const line of [...this.#rest, ...lines]) {
      if (line.startsWith(MIRROR_START)) this.#parse([line], this.#keptDecoder);
    }
    this.#rest = [];
  }

  /** The output has ended: what was still held comes out. */
  end(): void {
    this.#deliver(this.#read(this.#framer.end()), 0);
    this.#decoder.end();
    this.#limitHeld();
  }

  #take(lines: readonly string[], bytes: number): void {
    const { clock } = this.#around.settings;
    const began = clock.monotonic();
    let from = 0;
    do {
      const some = lines.length > MOST_LINES
        ? lines.slice(from, from + MOST_LINES)
        : lines;
      this.#deliver(this.#read(some), from === 0 ? bytes : 0);
      from += MOST_LINES;
    } while (from < lines.length && clock.monotonic() - began < MOST_MS);
    this.#rest = lines.slice(from);
    this.#limitHeld();
  }

  #deliver(messages: readonly Message[], bytes: number): void {
    if (messages.length > 0) this.#around.queue.put(messages, bytes);
  }

  /** Lines that are parsed as they arrive. */
  #read(lines: readonly string[]): readonly Message[] {
    const { meter, reporter: { metrics: { transport } } } = this.#around;
    meter.messagesReceived += lines.length;
    if (this.#isMeasured && transport !== undefined) {
      for (const line of lines) transport.messageReceived(byteLength(line));
    }
    return this.#parse(lines, this.#decoder);
  }

  #countKept(piece: Piece): void {
    const { meter, reporter: { metrics: { transport } } } = this.#around;
    const sizes = lineSizes(piece);
    meter.messagesReceived += sizes.length;
    if (!this.#isMeasured) return;
    for (const bytes of sizes) transport?.messageReceived(bytes);
  }

  /** A session that says nothing more must be told of the line that it broke: it may have been the result. */
  #limitHeld(): void {
    const { deadlines, settings } = this.#around;
    const decoder = this.#decoder;
    this.#heldLimit?.cancel();
    this.#heldLimit = decoder.isJoining
      ? deadlines.add(settings.health.idleMs, () => decoder.giveUp())
      : undefined;
  }

  #parseKept(piece: Piece): readonly Message[] {
    this.#isLate = true;
    try {
      return this.#parse(this.#framer.lines(piece), this.#keptDecoder);
    } finally {
      this.#isLate = false;
    }
  }

  #parse(lines: readonly string[], decoder: JsonDecoder): readonly Message[] {
    const { meter, settings } = this.#around;
    const { router, parser, outbox } = this.#stages;
    outbox.hold();
    try {
      const values = decoder.push(lines);
      if (values.some(isSign)) meter.lastSignMs = settings.clock.monotonic();
      return this.#see(parser.push(router.push(values, this.#goAhead)));
    } catch (error) {
      this.#fail(error);
      return [];
    } finally {
      outbox.release();
    }
  }

  /** Looks at what passes, and takes out what is for the host alone. */
  #see(messages: readonly Message[]): readonly Message[] {
    const { meter, settings } = this.#around;
    const { turns } = this.#stages;
    if (!turns.state.isStdinClosed || messages.length === 0) {
      return turns.see(messages, this.#isLate);
    }
    const wasBusy = isBusy(turns.state);
    const seen = turns.see(messages, this.#isLate);
    if (wasBusy || isBusy(turns.state)) {
      meter.lastWorkMs = settings.clock.monotonic();
    }
    return seen;
  }

  #keep(piece: Piece): Piece {
    if (!this.#isReused || piece.body === undefined) return piece;
    return { ...piece, body: copyOf(piece.body) };
  }

  #makeDecoder(): JsonDecoder {
    const { settings, reporter: { report, shown } } = this.#around;
    return new JsonDecoder({
      maxTextLength: settings.limits.maxMessageBytes,
      onBadText: (text, cause) => {
        report(notJson(text, cause, shown));
      },
    });
  }

  #tellTooLong(bytes: number): void {
    const { settings, reporter: { report, context } } = this.#around;
    report(
      new MessageTooLargeError({
        bytes,
        limit: settings.limits.maxMessageBytes,
        context: context(),
      }),
    );
  }

  #fail(cause: unknown): void {
    const error = new ProtocolError({
      message: `Messages could not be routed: ${textOfError(cause)}`,
      category: "protocol",
      cause,
      fatal: true,
    });
    void this.#around.ending.fail(error);
  }
}

/** Lines that show no progress by themselves: of control lines those do that a request of either side waits for. */
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
