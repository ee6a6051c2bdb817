import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";

const HEARTBEAT_MS = 15_000;

/** Returns the silence before a heartbeat, in milliseconds. */
export function heartbeatOf(value: number | undefined): number {
  return numberOf("heartbeatMs", value, HEARTBEAT_MS, 0);
}

/** Checks a number of an option. */
export function numberOf(
  key: string,
  value: number | undefined,
  byDefault: number,
  least: number,
): number {
  const number: unknown = value ?? byDefault;
  if (Number.isSafeInteger(number) && Number(number) >= least) {
    return Number(number);
  }
  throw refused(key, value, `a whole number, at least ${least}`);
}

/** Checks that an option is one of several words. */
export function oneOf<const Word extends string>(
  key: string,
  value: Word | undefined,
  words: readonly Word[],
): Word {
  const word = value ?? words[0];
  if (word !== undefined && words.includes(word)) return word;
  throw refused(
    key,
    value,
    `one of ${words.map((one) => show(one)).join(", ")}`,
  );
}

function refused(key: string, value: unknown, expected: string): ConfigError {
  const message = `Option "${key}" must be ${expected}: ${show(value)}`;
  return new ConfigError({ message, key, value, fatal: false });
}
