import { ConfigError } from "../errors/config.ts";
import { textOfError } from "../errors/text.ts";
import { byteLength } from "../stream/byte_length.ts";
import { MAX_LINE_BYTES } from "./reader.ts";
import { type Entry, entryLine } from "./records.ts";

/** The line of an entry; refuses one that could not be read again. */
export function checkedLine(entry: Entry, index: number): string {
  const line = lineOf(entry, index);
  const bytes = byteLength(line);
  if (bytes <= MAX_LINE_BYTES) return line;
  const most = `${MAX_LINE_BYTES} are the most of a line`;
  throw refused(index, `${bytes} bytes, ${most}`);
}

function lineOf(entry: Entry, index: number): string {
  try {
    return entryLine(entry);
  } catch (cause) {
    const fact = `its content is not JSON: ${textOfError(cause)}`;
    throw refused(index, fact, cause);
  }
}

function refused(index: number, fact: string, cause?: unknown): ConfigError {
  const key = `messages[${index}]`;
  return new ConfigError({
    message: `"${key}" cannot be written: ${fact}`,
    key,
    cause,
    fatal: false,
  });
}
