import { systemClock } from "../async/system_clock.ts";
import { isObject, show, typeOf } from "../errors/text.ts";
import { Problem } from "../parse/fields.ts";
import { ByteLines } from "../stream/byte_lines.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";
import {
  type Entry,
  type Header,
  MAX_LINE_BYTES,
  RECORD,
  repairLine,
  toHeader,
  toMessageEntry,
} from "./records.ts";
import type { SessionState } from "./session.ts";
import { SessionFormatError } from "../errors/session.ts";

/** How a session file is read. */
export interface LoadOptions {
  /** Whether malformed lines are skipped instead of being an error; false unless given. A missing header stays one. */
  readonly lenient?: boolean | undefined;
  /** Called for each skipped line except blank ones: its number, from 1, and the reason. An error it throws ends the loading. */
  readonly onSkip?: ((line: number, reason: string) => void) | undefined;
}

const NEWLINE = 0x0a;

/** A session file that is being read, chunk by chunk. */
export interface SessionReader {
  push(chunk: Uint8Array): void;
  end(): SessionState;
  /** The text that ends the last line, to be written before another record; empty for a file that ends with a newline. */
  ending(now: number): string;
}

export function sessionReader(
  { lenient = false, onSkip }: LoadOptions,
): SessionReader {
  const lines = new ByteLines(MAX_LINE_BYTES);
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const entries: Entry[] = [];
  let header: Header | undefined;
  let updatedMs = -Infinity;
  let lastLine = 0;
  let endsLine = true;
  /** A broken line that the next one may explain. */
  let suspect: number | undefined;
  let tornLine: number | undefined;

  /** The text of bytes; `undefined` where they are not UTF-8. */
  function textOf(bytes: Uint8Array): string | undefined {
    try {
      return decoder.decode(bytes);
    } catch {
      return undefined;
    }
  }

  function takeBytes(bytes: Uint8Array): void {
    for (const line of lines.push(bytes)) {
      if (!line.isCut) takeLine(textOf(line.bytes));
      else takeLong();
    }
  }

  function takeLong(): void {
    settle();
    refuse(++lastLine, `longer than ${MAX_LINE_BYTES} bytes`);
  }

  /** Takes a line, which is no JSON without a text. */
  function takeLine(given: string | undefined, isEnded = true): void {
    const line = ++lastLine;
    const text = line === 1 ? given?.replace(/^\ufeff/, "") : given;
    if (text?.trim() === "") return;
    const value = text === undefined ? undefined : parsed(text);
    if (isObject(value) && value.type === RECORD.repair) {
      const isExplained = suspect !== undefined && suspect === value.torn_line;
      if (!isExplained) return settle();
      onSkip?.(suspect as number, "cut off by a crash");
      suspect = undefined;
      return;
    }
    settle();
    if (value !== undefined) return takeValue(line, value, text as string);
    if (isEnded) {
      suspect = line;
      return;
    }
    tornLine = line;
    onSkip?.(line, "cut off at the end of the file");
  }

  function takeValue(line: number, value: JsonValue, text: string): void {
    if (!isObject(value)) {
      return refuse(line, `must be an object, is ${typeOf(value)}`);
    }
    const { type } = value;
    if (type === undefined) return refuse(line, '"type" is missing');
    if (typeof type !== "string" || type === "") {
      const fact = '"type" must be a text that is not empty';
      return refuse(line, `${fact}: ${show(type)}`);
    }
    if (type === RECORD.header) return takeHeader(line, value);
    if (type === RECORD.message) return takeMessage(line, value);
    entries.push({ line: text });
    onSkip?.(line, `unknown type ${show(type)}, kept for saving`);
  }

  function takeHeader(line: number, value: JsonObject): void {
    const read = toHeader(value);
    if (read instanceof Problem) return refuse(line, read);
    if (header) return refuse(line, `a second "${RECORD.header}" record`);
    header = read;
  }

  function takeMessage(line: number, value: JsonObject): void {
    const entry = toMessageEntry(value);
    if (header === undefined) throw noHeader(line, "it");
    if (entry instanceof Problem) return refuse(line, entry);
    entries.push(entry);
    const { created } = entry.message;
    if (created) updatedMs = Math.max(updatedMs, created.getTime());
  }

  /** The line after a broken one did not explain it. */
  function settle(): void {
    const line = suspect;
    suspect = undefined;
    if (line !== undefined) refuse(line, "not JSON in UTF-8");
  }

  function refuse(line: number, problem: string | Problem): void {
    const reason = problem instanceof Problem
      ? `"${problem.field}" ${problem.fact}`
      : problem;
    if (!lenient) throw malformed(line, reason);
    onSkip?.(line, reason);
  }

  return {
    push(chunk) {
      endsLine = chunk.at(-1) === NEWLINE;
      // Whole lines between the first and the last newline are cheaper to decode at once.
      const from = chunk.indexOf(NEWLINE) + 1;
      const to = chunk.lastIndexOf(NEWLINE) + 1;
      takeBytes(chunk.subarray(0, from));
      const whole = chunk.subarray(from, to);
      const text = whole.length > MAX_LINE_BYTES ? undefined : textOf(whole);
      if (text === undefined) takeBytes(whole);
      else for (const line of text.split("\n").slice(0, -1)) takeLine(line);
      takeBytes(chunk.subarray(to));
    },
    end() {
      const last = lines.end();
      if (last?.isCut) takeLong();
      else if (last) takeLine(textOf(last.bytes), false);
      settle();
      if (!header) throw noHeader(Math.max(1, lastLine), "its end");
      const { id, created, updated = created, rest } = header;
      const latest = new Date(Math.max(updated.getTime(), updatedMs));
      return {
        id,
        created,
        updated: latest,
        entries,
        rest,
        clock: systemClock,
      };
    },
    ending(now) {
      // A record on the same line would be lost with one that was cut off, which stays as it is.
      if (endsLine) return "";
      return tornLine ? `\n${repairLine(tornLine, now)}\n` : "\n";
    },
  };
}

/** The value of a JSON text; `undefined` for any other. */
function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function noHeader(line: number, before: string): SessionFormatError {
  return malformed(line, `no "${RECORD.header}" record before ${before}`);
}

function malformed(line: number, reason: string): SessionFormatError {
  return new SessionFormatError({
    message: `Session file is malformed: line ${line}: ${reason}`,
    line,
  });
}
