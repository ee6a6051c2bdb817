import { systemClock } from "../async/system_clock.ts";
import {
  bag,
  callback,
  checkKeys,
  duration,
  type Fields,
  filled,
  integer,
  list,
  object,
  oneOf,
  refuse,
  text,
} from "../options/fields.ts";
import type { Clock } from "../ports/clock.ts";
import type { Complete } from "../types/complete.ts";
import type { CatalogTool, HubOptions, RetryOptions } from "../types/mcp.ts";
import { prefixToolkit } from "./names.ts";

/** Options that have a default. */
interface Defaulted {
  /** One failing server fails all, or the others stay. */
  readonly onFailure: "strict" | "partial";
  /** Names the toolkit of a tool. */
  readonly classifier: (tool: CatalogTool) => string;
  /** Limit of one question of a server, in milliseconds. */
  readonly questionTimeoutMs: number;
  /** Time of the waits. */
  readonly clock: Clock;
  /** When and how often failed requests are repeated. */
  readonly retry: Complete<RetryOptions>;
}

/** The options with their defaults. */
export type HubSettings = Omit<HubOptions, keyof Defaulted> & Defaulted;

/** As long as a permission of a conversation. */
const QUESTION_MS = 120_000;

/** Source: specification of the hub. */
const RETRY: Complete<RetryOptions> = {
  attempts: 5,
  baseMs: 500,
  capMs: 30_000,
  policy: "safe",
};

const OPTIONS: Fields<HubOptions> = {
  onFailure: oneOf("strict", "partial"),
  onElicitation: callback,
  onSampling: callback,
  roots: callback,
  questionTimeoutMs: duration,
  retry: object<RetryOptions>({
    attempts: integer({ min: 1 }),
    baseMs: delay,
    capMs: delay,
    policy: oneOf("safe", "always"),
  }),
  classifier: callback,
  allow: list(text),
  deny: list(text),
  filter: callback,
  connect: callback,
  maxConnects: integer({ min: 1 }),
  maxCallsPerServer: integer({ min: 1 }),
  onListChanged: callback,
  onWarning: callback,
  clock,
  random: callback,
};

/** Checks the options of a hub and fills in defaults; throws `ConfigError`. */
export function readOptions(options: HubOptions = {}): HubSettings {
  checkBag(options, "options");
  return {
    ...options,
    onFailure: options.onFailure ?? "strict",
    classifier: options.classifier ?? prefixToolkit,
    questionTimeoutMs: options.questionTimeoutMs ?? QUESTION_MS,
    clock: options.clock ?? systemClock,
    retry: filled(RETRY, options.retry),
  };
}

function checkBag(options: object, key: string): void {
  bag(options, key);
  checkKeys(options, OPTIONS, "");
}

/** Milliseconds of a wait, without an end if wished. */
function delay(value: unknown, key: string): void {
  const fits = typeof value === "number" && value >= 0;
  if (!fits) refuse(key, value, "milliseconds, 0 or more");
}

function clock(value: unknown, key: string): void {
  const isClock = typeof value === "object" && value !== null &&
    "now" in value && typeof value.now === "function" &&
    "sleep" in value && typeof value.sleep === "function";
  if (!isClock) refuse(key, value, "an object with now() and sleep()");
}
