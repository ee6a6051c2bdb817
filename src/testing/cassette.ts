import { isObject } from "../errors/text.ts";
import { ConfigError } from "../errors/base.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** The form of cassettes that this package writes. */
export const CASSETTE_VERSION = 1;

/**
 * One line of a cassette.
 *
 * Shape: the first is a `meta` line of event `cassette` with the version; then come `spawn` (args, cwd, names of
 * variables), lines to the CLI (`in`), lines from it (`out`), stderr (`err`), and `stdin_close`, `exit`.
 */
export type CassetteLine =
  & {
    /** Milliseconds since the start; absent when recorded without timing. */
    readonly t?: number;
  }
  & (
    | {
      /** Which way it went. */
      readonly dir: "in" | "out";
      /** The line, parsed. */
      readonly msg: JsonValue;
    }
    | {
      /** Which way it went. */
      readonly dir: "in" | "out";
      /** The line, when it is no JSON. */
      readonly raw: string;
    }
    | {
      /** A piece of stderr. */
      readonly dir: "err";
      readonly text: string;
    }
    | CassetteMeta
  );

/** Something that happened beside the lines. */
interface CassetteMeta {
  readonly dir: "meta";
  readonly event: string;
  /** Its facts. */
  readonly [field: string]: JsonValue | undefined;
}

/** Reads the text of a cassette; throws `ConfigError` for one that is newer than this package or broken. */
export function parseCassette(text: string): readonly CassetteLine[] {
  const lines = text
    .split("\n")
    .flatMap((line, index) => line === "" ? [] : [parseOne(line, index + 1)]);
  for (const line of lines) checkVersion(line);
  return lines;
}

/** Throws `ConfigError` for the first line of a cassette that is newer than this package. */
export function checkVersion(line: CassetteLine): void {
  if (line.dir !== "meta" || line.event !== "cassette") return;
  const { version } = line;
  if (version === CASSETTE_VERSION) return;
  throw new ConfigError({
    message:
      `Cassette has a version that this package does not know: ${version}, known is ${CASSETTE_VERSION}`,
    key: "cassette.version",
    value: version,
  });
}

function parseOne(text: string, number: number): CassetteLine {
  let line: unknown;
  try {
    line = JSON.parse(text);
  } catch (cause) {
    throw broken(number, text, cause);
  }
  const dirs: readonly unknown[] = ["in", "out", "err", "meta"];
  if (!isObject(line) || !dirs.includes(line["dir"])) {
    throw broken(number, text);
  }
  return line as unknown as CassetteLine;
}

function broken(number: number, text: string, cause?: unknown): ConfigError {
  return new ConfigError({
    message: `Cassette is broken at line ${number}: ${text.slice(0, 200)}`,
    key: "cassette",
    value: text,
    cause,
  });
}

/** A line of a cassette as an object, undefined when it is none. */
export function messageOf(line: CassetteLine): JsonObject | undefined {
  return "msg" in line && isObject(line.msg) ? line.msg : undefined;
}
