import { isAgentError } from "../errors/base.ts";
import type { TracerLike } from "./api.ts";
import type { Recorder } from "./instruments.ts";

/** Shared by all spans and metrics of one `telemetry()`. */
export interface Setting {
  /** The tracer; looked up at each use, since it may be registered later. */
  readonly tracer: () => TracerLike | undefined;
  readonly record: Recorder;
  readonly agentName: string;
  /** Whether texts of prompts, inputs and results may be attributes. */
  readonly captureContent: boolean;
}

/** Longest text of an attribute, in characters. */
const LONGEST_TEXT = 65_536;

/** A text or JSON for an attribute, if contents may be captured. */
export function content(
  { captureContent }: Setting,
  value: () => unknown,
): string | undefined {
  if (!captureContent) return undefined;
  const given = value();
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text?.slice(0, LONGEST_TEXT);
}

/** The type of an error, and its text where that is of this package. */
export function failureOf(
  error: unknown,
): { readonly type: string; readonly message: string | undefined } {
  if (isAgentError(error)) return { type: error.code, message: error.message };
  const type = error instanceof Error ? error.name : "unknown";
  return { type, message: undefined };
}

/** Number of agents, calls and ids that a conversation remembers: it may last for months. */
const MOST_REMEMBERED = 1_000;

/** Sets a value, and forgets the oldest where there are too many. */
export function remember<K, V>(
  map: Map<K, V>,
  key: K,
  value: V,
  most: number = MOST_REMEMBERED,
): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= most) return;
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}
