import { systemClock } from "../async/system_clock.ts";
import { isObject, show, typeOf } from "../errors/text.ts";
import { Problem } from "../parse/fields.ts";
import { type ByteLine, ByteLines } from "../stream/byte_lines.ts";
import type { JsonValue } from "../types/json.ts";
import {
  type Entry,
  type Header,
  MAX_LINE_BYTES,
  type MessageEntry,
  RECORD,
  toHeader,
  toMessageEntry,
} from "./records.ts";
import type { SessionState } from "./session.ts";
import { SessionFormatError } from "../errors/session.ts";

/** How a session file is read. */
export interface LoadOptions {
  /** Whether malformed lines are skipped instead of being an error; false unless given. A missing header stays one. */
  readonly lenient?: boolean | undefined;
  /** Called for each line that was skipped, blank ones excepted: its number, counted from 1, and why. What it throws ends the loading. */
  readonly onSkip?: ((line: number, reason: string) => void) | undefined;
}

const NEWLINE = 0x0a;

/** A session file that is being read, chunk by chunk. */
export class SessionReader {
  readonly #lines = new ByteLines(MAX_LINE_BYTES);
  readonly #decoder = new TextDecoder("utf-8", {
    fatal: true,
    ignoreBOM: true,
  });
  readonly #options: LoadOptions;
  readonly #entries: Entry[] = [];
  #header: Header | undefined;
  #updatedMs = -Infinity;
  /** A broken line that the next one may explain. */
  #suspect: { readonly line: number; readonly reason: string } | undefined;
  #lastLine = 0;
  /** Whether the last byte so far is a newline. */
  endsLine = false;
  /** The number of the last line if it was cut off; known after the end. */
  tornLine: number | undefined;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    this.endsLine = chunk.at(-1) === NEWLINE;
    // Whole lines between the first and the last newline are cheaper to decode at once.
    const from = chunk.indexOf(NEWLINE) + 1;
    const to = chunk.lastIndexOf(NEWLINE) + 1;
    this.#takeLines(chunk.subarray(0, from));
    const whole = chunk.subarray(from, to);
    const text = whole.length > MAX_LINE_BYTES
      ? undefined
      : this.#textOf(whole);
    if (text === undefined) this.#takeLines(whole);
    else {
      for (const line of text.split("\n").slice(0, -1)) {
        this.#takeText(++this.#lastLine, line, true);
      }
    }
    this.#takeLines(chunk.subarray(to));
  }

  end(): SessionState {
    const last = this.#lines.end();
    if (last !== undefined) this.#take(last);
    this.#settle();
    const header = this.#header;
    if (header === undefined) {
      throw malformed(
        Math.max(1, this.#lastLine),
        `no "${RECORD.header}" record before its end`,
      );
    }
    const { id, created, updated = created, rest } = header;
    return {
      id,
      created,
      updated: new Date(Math.max(updated.getTime(), this.#updatedMs)),
      entries: this.#entries,
      rest,
      clock: systemClock,
    };
  }

  /** The text of bytes; `undefined` where they are not UTF-8. */
  #textOf(bytes: Uint8Array): string | undefined {
    try {
      return this.#decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #takeLines(bytes: Uint8Array): void {
    for (const line of this.#lines.push(bytes)) this.#take(line);
  }

  #take({ bytes, isCut, isEnded }: ByteLine): void {
    const number = ++this.#lastLine;
    if (isCut) {
      this.#settle();
      return this.#refuse(number, `longer than ${MAX_LINE_BYTES} bytes`);
    }
    const text = this.#textOf(bytes);
    if (text === undefined) return this.#takeBroken(number, isEnded);
    this.#takeText(number, text, isEnded);
  }

  #takeText(number: number, given: string, isEnded: boolean): void {
    const text = number === 1 ? given.replace(/^\ufeff/, "") : given;
    if (text.trim() === "") return;
    let value: JsonValue;
    try {
      value = JSON.parse(text);
    } catch {
      return this.#takeBroken(number, isEnded);
    }
    this.#takeValue(number, value, text);
  }

  /** A line that is no JSON: the last one was cut off by a crash, any other may turn out to have been. */
  #takeBroken(line: number, isEnded: boolean): void {
    this.#settle();
    if (isEnded) {
      this.#suspect = { line, reason: "not JSON in UTF-8" };
      return;
    }
    this.tornLine = line;
    this.#options.onSkip?.(line, "cut off at the end of the file");
  }

  #takeValue(line: number, value: JsonValue, text: string): void {
    const type = isObject(value) ? value.type : undefined;
    if (type === RECORD.repair) return this.#takeRepair(value);
    this.#settle();
    if (!isObject(value)) {
      return this.#refuse(line, `must be an object, is ${typeOf(value)}`);
    }
    if (type === undefined) return this.#refuse(line, '"type" is missing');
    if (typeof type !== "string" || type === "") {
      const fact = '"type" must be a text that is not empty';
      return this.#refuse(line, `${fact}: ${show(type)}`);
    }
    if (type === RECORD.header) {
      const header = toHeader(value);
      if (header instanceof Problem) this.#refuse(line, header);
      else if (this.#header === undefined) this.#header = header;
      else this.#refuse(line, `a second "${RECORD.header}" record`);
    } else if (type === RECORD.message) {
      this.#takeMessage(line, toMessageEntry(value));
    } else {
      this.#entries.push({ line: text });
      this.#options.onSkip?.(
        line,
        `unknown type ${show(type)}, kept for saving`,
      );
    }
  }

  #takeMessage(line: number, entry: MessageEntry | Problem): void {
    if (this.#header === undefined) {
      throw malformed(line, `no "${RECORD.header}" record before it`);
    }
    if (entry instanceof Problem) return this.#refuse(line, entry);
    this.#entries.push(entry);
    const { created } = entry.message;
    if (created === undefined) return;
    this.#updatedMs = Math.max(this.#updatedMs, created.getTime());
  }

  /** Marks the broken line before it as cut off by a crash. */
  #takeRepair(value: JsonValue): void {
    const suspect = this.#suspect;
    const torn = isObject(value) ? value.torn_line : undefined;
    if (suspect === undefined || torn !== suspect.line) return this.#settle();
    this.#suspect = undefined;
    this.#options.onSkip?.(suspect.line, "cut off by a crash");
  }

  /** The line after a broken one did not explain it. */
  #settle(): void {
    const suspect = this.#suspect;
    this.#suspect = undefined;
    if (suspect !== undefined) this.#refuse(suspect.line, suspect.reason);
  }

  #refuse(line: number, problem: string | Problem): void {
    const reason = problem instanceof Problem
      ? `"${problem.field}" ${problem.fact}`
      : problem;
    if (this.#options.lenient !== true) throw malformed(line, reason);
    this.#options.onSkip?.(line, reason);
  }
}

function malformed(line: number, reason: string): SessionFormatError {
  return new SessionFormatError({
    message: `Session file is malformed: line ${line}: ${reason}`,
    line,
  });
}
