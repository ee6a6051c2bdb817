import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import { LONGEST_TIMER_MS } from "./system_clock.ts";

/** Beyond it the ceiling would only lose precision: 2 ** 31 times any base is past every timer. */
const LARGEST_EXPONENT = 31;
/** The default ceilings, in milliseconds. */
export const BACKOFF = { baseMs: 500, capMs: 30_000 } as const;

/** Settings of {@link backoffDelay}. */
export interface BackoffOptions {
  /** First ceiling, in milliseconds; 500. */
  readonly baseMs?: number | undefined;
  /** Highest ceiling, in milliseconds; 30 000. */
  readonly capMs?: number | undefined;
  /** Numbers from 0 up to 1; a cryptographic source. */
  readonly random?: (() => number) | undefined;
}

/**
 * Returns the wait before the next attempt: full jitter (a random share) under a ceiling that doubles.
 *
 * Shape: a whole number from 0 up to `min(capMs, baseMs * 2 ** attempt)`, never negative, never NaN, never past the
 * limit of a timer. By default from 500 ms up to 30 s.
 *
 * @param attempt Attempts already made, 0 for the first; negative or NaN counts as 0
 * @param options Base and cap in milliseconds, and the source of randomness
 * @returns Milliseconds to wait
 * @throws {ConfigError} If `baseMs` or `capMs` is negative or not a number
 *
 * @example Double the ceiling up to the cap
 * ```ts
 * import { backoffDelay } from "@sluice/agent/mcp";
 * import assert from "node:assert/strict";
 *
 * const random = () => 0.5;
 * assert.equal(backoffDelay(3, { baseMs: 500, capMs: 30_000, random }), 2_000);
 * assert.equal(backoffDelay(30, { baseMs: 500, capMs: 30_000, random }), 15_000);
 * ```
 */
export function backoffDelay(
  attempt: number,
  options: BackoffOptions = {},
): number {
  const base = checked("baseMs", options.baseMs ?? BACKOFF.baseMs);
  const cap = checked("capMs", options.capMs ?? BACKOFF.capMs);
  const exponent = Math.min(
    Math.max(Math.trunc(attempt) || 0, 0),
    LARGEST_EXPONENT,
  );
  const ceiling = Math.min(cap, base * 2 ** exponent, LONGEST_TIMER_MS);
  return Math.floor(ceiling * fraction(options.random ?? cryptoRandom));
}

/** A number from 0 up to 1; where the source fails, the delay goes without jitter. */
function fraction(random: () => number): number {
  try {
    const value = random();
    return value >= 0 && value <= 1 ? value : 1;
  } catch {
    return 1;
  }
}

function cryptoRandom(): number {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word / 2 ** 32;
}

function checked(key: "baseMs" | "capMs", value: number): number {
  if (typeof value === "number" && value >= 0) return value;
  throw new ConfigError({
    message: `Option "${key}" must be a number of at least 0: ${show(value)}`,
    key,
    value,
  });
}
