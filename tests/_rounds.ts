import process from "node:process";

/** How often tests repeat what must hold however often it is done: `SLUICE_ROUNDS=100` with the command for one file. */
export const ROUNDS: number = Number(process.env["SLUICE_ROUNDS"] ?? 1);

/** Timeout of that many rounds, in milliseconds. */
export const ROUNDS_TIMEOUT_MS: number = 180_000 * ROUNDS;
