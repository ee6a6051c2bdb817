import type { Deadlines } from "../async/deadline.ts";
import type { ParseError, ProtocolError } from "../errors/protocol.ts";
import type { Meter } from "../observe/metrics.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import type { Piece } from "../stream/line_framer.ts";
import type { Queue } from "../stream/queue.ts";
import type {
  ControlFields,
  ControlHandler,
  Denial,
} from "../types/controls.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import type { RequestAnswer } from "../types/observer.ts";
import type { Conventions } from "../wire/conventions.ts";
import type { Telling } from "../wire/telling.ts";

/** Everything in which two kinds of sessions differ. */
export interface Profile<Item> {
  readonly host: Pick<Host, "isAscii" | "nextTurn" | "tuning">;
  readonly time: Time;
  /** Made before the engine: consumers may wait before there is a CLI. */
  readonly queue: Queue<Item>;
  readonly limits: Limits;
  readonly messages: Messages<Item>;
  readonly control: Control;
  readonly observed: Observed;
  readonly faults: Faults;
}

export interface Time {
  readonly clock: FullClock;
  readonly deadlines: Deadlines;
}

/** Sizes in bytes, times in milliseconds; `Infinity` = no limit. */
export interface Limits {
  /** A longer line is skipped. */
  readonly lineBytes: number;
  /** Unread messages that are read ahead. */
  readonly readAheadBytes: number;
  /** The same while a request of ours waits for its answer. */
  readonly unreadBytes: number;
  /** Silence after which half an object is given up. */
  readonly joinMs: number;
  readonly writeMs: number;
  /** Silence after which the output of a CLI that is gone is over, and the most time that reading it may take. */
  readonly quietMs: number;
  readonly lateMs: number;
}

/** Conversion of the CLI's lines into messages. */
export interface Messages<Item> {
  /**
   * Makes messages of objects, in the array that it is given if it likes. Late ones were read ahead and are parsed when
   * they are taken, after others that came behind them.
   */
  read(objects: JsonObject[], isLate: boolean): readonly Item[];
  /** Whether lines may stay bytes until they are taken; absent = they are parsed as they arrive. */
  mayWait?(piece: Piece): boolean;
  /** Called when the messages of a chunk stand in the queue. */
  afterChunk?(): void;
  /**
   * Present = lines keep their order: a consumer that waits has the messages in front of a control line before that is
   * handled. Returns what such messages wait for themselves.
   */
  heldBack?(): Promise<void> | undefined;
  /** Keeps a copy of what the CLI writes to disk; absent = no copy is kept. */
  readonly mirror?: ((line: JsonObject) => void) | undefined;
  /** Looks at a sign of life, which is no message; it may name a phase of the start. */
  readonly alive?: ((line: JsonObject) => void) | undefined;
}

/** Requests of both sides. */
export interface Control {
  /** Handlers for requests of the CLI, by subtype; may be filled later. */
  readonly handlers: ReadonlyMap<string, ControlHandler>;
  /** Answers for when a handler fails. */
  readonly denials: ReadonlyMap<string, Denial>;
  /** Timeout of a request of ours that names none, in milliseconds. */
  readonly controlMs: number;
  /** Age at which a request of ours that was never answered is given up, in milliseconds. */
  readonly abandonedMs: number;
  /** Texts and habits; those of this package. */
  readonly conventions?: Conventions;
  readonly onRequest?: (request: ControlFields, requestId: string) => void;
  /** Runs the handler of a request. */
  readonly within?: <T>(requestId: string, work: () => T) => T;
  /** Called when a request is over, with the answer that was sent. */
  readonly onAnswer?: (requestId: string, answer: RequestAnswer) => void;
  /** Called when one more request of the CLI is served, or one less. */
  readonly onChange?: () => void;
  /** Called with what is handed to the CLI, which may hold secrets. */
  readonly learn?: (fields: JsonObject) => void;
}

/** Counters and logs. */
export interface Observed {
  readonly meter: Meter;
  readonly telling: Telling & {
    /** Called with lines that are no messages, too. */
    readonly report: (error: ParseError | ProtocolError) => void;
  };
  /** Called with the values of some lines, before they are looked at. */
  onValues?(values: readonly JsonValue[]): void;
  /** Called with the size of each line; measuring costs as much as parsing. */
  readonly onLine?: ((bytes: number) => void) | undefined;
  onWritten?(batch: {
    readonly lines: readonly string[];
    readonly isWork: boolean;
  }): void;
}

/** Called for faults; the profile words them. */
export interface Faults {
  /** A line was skipped. */
  tooLong?(bytes: number): void;
  notJson?(text: string, cause: unknown): void;
  /** Makes the error for a write that failed or took too long. */
  unwritten(message: string, cause?: unknown): Error;
  /** Answers were lost with a write. */
  answersLost?(error: Error): void;
  /** Requests of ours wait behind more unread messages than there may be. */
  queueFull?(): void;
  /** Lines could not be handled: a fault of this program. */
  internal(cause: unknown): void;
}
