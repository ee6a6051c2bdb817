import { isObject, parsedJson, show, typeOf } from "../errors/text.ts";
import { SessionFormatError } from "../errors/session.ts";
import { Problem } from "../parse/fields.ts";
import type { JsonValue } from "../types/json.ts";
import type { ChatMessage } from "./messages.ts";
import { type Header, RECORD, toHeader, toMessage } from "./records.ts";

/** Options for reading a session file. */
export interface LoadOptions {
  /** Whether malformed lines are skipped instead of being an error; false by default. A missing header stays one. */
  readonly lenient?: boolean | undefined;
  /** Called for each skipped line except blank ones: its number, from 1, and the reason. An error it throws ends the loading. */
  readonly onSkip?: ((line: number, reason: string) => void) | undefined;
}

/** Content of a session file. */
export interface SessionContent extends Header {
  readonly updated: Date;
  readonly messages: ChatMessage[];
  /** Whether a newline ends the last line. */
  readonly isEnded: boolean;
  /** Whether a crash cut off the last line. */
  readonly isTorn: boolean;
}

/** A session file that is being read, line by line. */
export interface SessionReader {
  /** Takes a line without its newline; the last one may have none, and be cut off. */
  add(text: string, isLast?: boolean): void;
  end(): SessionContent;
}

export function sessionReader(
  { lenient = false, onSkip }: LoadOptions,
): SessionReader {
  const messages: ChatMessage[] = [];
  let header: Header | undefined;
  let isEnded = true;
  let isTorn = false;
  let updatedMs = -Infinity;
  let lastLine = 0;
  return {
    add(text, isLast = false) {
      const line = ++lastLine;
      isEnded = !isLast;
      const given = line === 1 ? text.replace(/^\ufeff/, "") : text;
      if (given.trim() === "") return;
      const value = parsedJson(given);
      if (value === undefined && isLast) {
        isTorn = true;
        onSkip?.(line, "cut off at the end of the file");
      } else take(line, value);
    },
    end() {
      if (header === undefined) {
        throw noHeader(Math.max(1, lastLine), "its end");
      }
      const { id, created, updated = created } = header;
      const latest = new Date(Math.max(updated.getTime(), updatedMs));
      return { id, created, updated: latest, messages, isEnded, isTorn };
    },
  };

  function take(line: number, value: JsonValue | undefined): void {
    if (value === undefined) return refuse(line, "not JSON");
    if (!isObject(value)) {
      return refuse(line, `must be an object, is ${typeOf(value)}`);
    }
    const { type } = value;
    if (type === undefined) return refuse(line, '"type" is missing');
    if (typeof type !== "string" || type === "") {
      const fact = '"type" must be a text that is not empty';
      return refuse(line, `${fact}: ${show(type)}`);
    }
    if (type === RECORD.header) {
      const read = toHeader(value);
      if (read instanceof Problem) return refuse(line, read);
      if (header) return refuse(line, `a second "${RECORD.header}" record`);
      header = read;
    } else if (type === RECORD.message) {
      if (header === undefined) throw noHeader(line, "it");
      const message = toMessage(value);
      if (message instanceof Problem) return refuse(line, message);
      messages.push(message);
      const { created } = message;
      if (created) updatedMs = Math.max(updatedMs, created.getTime());
    } else onSkip?.(line, `unknown type ${show(type)}`);
  }

  function refuse(line: number, problem: string | Problem): void {
    const reason = problem instanceof Problem
      ? `"${problem.field}" ${problem.fact}`
      : problem;
    if (!lenient) throw malformed(line, reason);
    onSkip?.(line, reason);
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
