import type { Deadline } from "../async/deadline.ts";
import { byteLength } from "../stream/byte_length.ts";
import { JsonDecoder } from "../stream/json.ts";
import {
  copyOf,
  LineFramer,
  lineSizes,
  type Piece,
} from "../stream/line_framer.ts";
import type { JsonObject } from "../types/json.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Router } from "../wire/router.ts";
import type { Profile } from "./profile.ts";

/** Lines that are parsed before the time is looked at; a chunk of messages has fewer. */
const MOST_LINES = 256;
/** Milliseconds after which the event loop has its turn: a chunk of bad lines takes long, and continues in the next turn. */
export const MOST_MS = 50;
/** In a line that tells what the CLI writes to disk. */
const MIRROR = '"transcript_mirror"';
/** In each control line; where a message quotes it, its order is kept for nothing. */
const CONTROL = '"control_';

/** The stages that lines pass behind the decoder, and what they answer with. */
interface Stages {
  readonly router: Router;
  readonly outbox: Pick<Outbox, "hold" | "release">;
}

/** The one place that joins the stages: bytes in, batches of messages into the queue. */
export class Pipeline<Item> {
  readonly #profile: Omit<Profile<Item>, "control">;
  readonly #stages: Stages;
  /** Whether a chunk's memory is used again after `push()`. */
  readonly #isReused: boolean;
  readonly #framer: LineFramer;
  readonly #decoder: JsonDecoder;
  /** The same for what was kept: it never waits for another line, and must not end the wait of a later one. */
  readonly #keptDecoder: JsonDecoder;
  /** Delivers messages in front of a question before it is asked. */
  readonly #goAhead = (objects: JsonObject[]): void =>
    this.#deliver(this.#profile.messages.read(objects, this.#isLate), 0);
  #joinLimit: Deadline | undefined;
  #isLate = false;
  /** Lines of a chunk that took too long, or that wait for a turn. */
  #rest: readonly string[] = [];
  /** Whether this turn handled control lines, or else messages, as far as it is known. */
  #wasControl: boolean | undefined;

  constructor(
    profile: Omit<Profile<Item>, "control">,
    stages: Stages,
    isReused: boolean,
  ) {
    const { host, limits, faults } = profile;
    this.#profile = profile;
    this.#stages = stages;
    this.#isReused = isReused;
    this.#framer = new LineFramer({
      maxLineBytes: limits.lineBytes,
      isAscii: (bytes) => host.isAscii(bytes),
      wideLineBytes: host.tuning.wideLineBytes,
      isReused,
      onTooLong: (bytes, start) => {
        faults.tooLong?.(bytes);
        stages.router.skipped(start);
      },
    });
    const makeDecoder = () =>
      new JsonDecoder({
        maxTextLength: limits.lineBytes,
        onBadText: (text, cause) => faults.notJson?.(text, cause),
      });
    this.#decoder = makeDecoder();
    this.#keptDecoder = makeDecoder();
  }

  /** Bytes of a line in progress. */
  get heldBytes(): number {
    return this.#framer.heldBytes;
  }

  /** Whether lines of the last chunk are left for {@link resume}. */
  get isBehind(): boolean {
    return this.#rest.length > 0;
  }

  /** Resolves when they may continue, apart from a turn. */
  get heldBack(): Promise<void> | undefined {
    return this.#profile.messages.heldBack?.();
  }

  /** Takes a chunk. */
  push(chunk: Uint8Array): void {
    const { queue, messages, observed, time: { clock } } = this.#profile;
    // A custom transport may yield anything.
    if (!(chunk instanceof Uint8Array)) {
      throw new TypeError("The output is no stream of bytes");
    }
    observed.meter.read(chunk.length, clock);
    const piece = this.#framer.cut(chunk);
    if (piece === undefined) return;
    const isWanted = queue.isWaited || this.#decoder.isJoining;
    if (!isWanted && messages.mayWait?.(piece)) {
      // Not waited for, and nothing in it must be seen now: it stays bytes until it is taken.
      const kept = this.#keep(piece);
      this.#countKept(kept);
      queue.put(() => this.#parseKept(kept), kept.bytes);
    } else {
      this.#take(this.#framer.lines(piece), piece.bytes);
      messages.afterChunk?.();
    }
  }

  /** Continues with the last chunk, in a new turn. */
  resume(): void {
    this.#wasControl = undefined;
    this.#take(this.#rest, 0);
  }

  /** Takes a chunk whose messages are dropped, or the end of the output. */
  drop(chunk: Uint8Array | undefined): void {
    if (this.#profile.messages.mirror === undefined) return;
    const lines = chunk === undefined
      ? this.#framer.end()
      : this.#framer.push(chunk);
    for (const line of [...this.#rest, ...lines]) {
      if (line.includes(MIRROR)) this.#parse([line], this.#keptDecoder);
    }
    this.#rest = [];
  }

  /** The output has ended: what was still held comes out. */
  end(): void {
    this.#deliver(this.#read(this.#framer.end()), 0);
    this.#decoder.end();
    this.#limitJoining();
  }

  #take(lines: readonly string[], bytes: number): void {
    const { clock } = this.#profile.time;
    const began = clock.monotonic();
    let from = 0;
    do {
      const to = this.#endOfRun(lines, from);
      if (to === from) break;
      const isAll = to - from === lines.length;
      const some = isAll ? lines : lines.slice(from, to);
      this.#deliver(this.#read(some), from === 0 ? bytes : 0);
      from = to;
    } while (from < lines.length && clock.monotonic() - began < MOST_MS);
    this.#rest = lines.slice(from);
    this.#limitJoining();
  }

  /** Up to where lines are handled at once; nowhere = the first one waits for a turn. */
  #endOfRun(lines: readonly string[], from: number): number {
    const most = Math.min(from + MOST_LINES, lines.length);
    const { heldBack } = this.#profile.messages;
    if (heldBack === undefined) return most;
    const isControl = (at: number) => lines[at]?.includes(CONTROL) === true;
    const mayGo = this.#wasControl !== !isControl(from);
    if (!mayGo || heldBack() !== undefined) return from;
    this.#wasControl = isControl(from);
    let to = from + 1;
    while (to < most && isControl(to) === this.#wasControl) to++;
    return to;
  }

  #deliver(items: readonly Item[], bytes: number): void {
    if (items.length > 0) this.#profile.queue.put(items, bytes);
  }

  /** Lines that are parsed as they arrive. */
  #read(lines: readonly string[]): readonly Item[] {
    const { meter, onLine } = this.#profile.observed;
    meter.messagesReceived += lines.length;
    if (onLine !== undefined) {
      for (const line of lines) onLine(byteLength(line));
    }
    return this.#parse(lines, this.#decoder);
  }

  #countKept(piece: Piece): void {
    const { meter, onLine } = this.#profile.observed;
    const sizes = lineSizes(piece);
    meter.messagesReceived += sizes.length;
    if (onLine !== undefined) sizes.forEach((bytes) => onLine(bytes));
  }

  /** A session that says nothing more must be told of the line that it broke: it may have been the result. */
  #limitJoining(): void {
    const { limits: { joinMs }, time: { deadlines } } = this.#profile;
    this.#joinLimit?.cancel();
    this.#joinLimit = this.#decoder.isJoining && joinMs !== Infinity
      ? deadlines.add(joinMs, () => this.#decoder.giveUp())
      : undefined;
  }

  #parseKept(piece: Piece): readonly Item[] {
    this.#isLate = true;
    try {
      return this.#parse(this.#framer.lines(piece), this.#keptDecoder);
    } finally {
      this.#isLate = false;
    }
  }

  #parse(lines: readonly string[], decoder: JsonDecoder): readonly Item[] {
    const { messages, observed, faults } = this.#profile;
    const { router, outbox } = this.#stages;
    outbox.hold();
    try {
      const values = decoder.push(lines);
      observed.onValues?.(values);
      const objects = router.push(values, this.#goAhead);
      return messages.read(objects, this.#isLate);
    } catch (error) {
      faults.internal(error);
      return [];
    } finally {
      outbox.release();
    }
  }

  #keep(piece: Piece): Piece {
    if (!this.#isReused || piece.body === undefined) return piece;
    return { ...piece, body: copyOf(piece.body) };
  }
}
