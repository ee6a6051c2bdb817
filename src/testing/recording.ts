import { ConfigError } from "../errors/base.ts";
import { isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** The version of recordings that this package writes. */
export const RECORDING_VERSION = 1;

/** The first line of a recording names its version by this event. */
export const HEADER = "cassette";

/**
 * One line of a recording.
 *
 * Shape:
 * - `meta`: the first line, with the version.
 * - `spawn`: arguments, working directory and names of variables.
 * - `in`, `out`, `err`: lines to the CLI, from it, and of its stderr.
 * - `stdin_close`, `stop`, `exit`: the end.
 */
export type RecordedLine =
  & {
    /** Milliseconds since the start; absent when recorded without timing. */
    readonly t?: number;
  }
  & (
    | { readonly dir: "in" | "out"; readonly msg: JsonValue }
    /** Not JSON. */
    | { readonly dir: "in" | "out"; readonly raw: string }
    | { readonly dir: "err"; readonly text: string }
    | {
      readonly dir: "meta";
      readonly event: string;
      readonly [field: string]: JsonValue | undefined;
    }
  );

/** Reads a recording; throws `ConfigError` when it is broken or newer than this package. */
export function parseRecording(text: string): readonly RecordedLine[] {
  const lines = text.split("\n")
    .flatMap((line, index) => line === "" ? [] : [parseOne(line, index + 1)]);
  lines.forEach(checkVersion);
  return lines;
}

/** Throws `ConfigError` for the first line of a recording of another version. */
export function checkVersion(line: RecordedLine): void {
  if (line.dir !== "meta" || line.event !== HEADER) return;
  const { version } = line;
  if (version === RECORDING_VERSION) return;
  throw new ConfigError({
    message:
      `Recording has an unknown version: ${version}, known is ${RECORDING_VERSION}`,
    key: "recording.version",
    value: version,
  });
}

function parseOne(text: string, number: number): RecordedLine {
  let line: unknown;
  let cause: unknown;
  try {
    line = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  const dirs: readonly unknown[] = ["in", "out", "err", "meta"];
  if (isObject(line) && dirs.includes(line["dir"])) {
    return line as unknown as RecordedLine;
  }
  throw new ConfigError({
    message: `Recording is broken at line ${number}: ${text.slice(0, 200)}`,
    key: "recording",
    value: text,
    cause,
  });
}

export function messageOf(line: RecordedLine): JsonObject | undefined {
  return "msg" in line && isObject(line.msg) ? line.msg : undefined;
}
