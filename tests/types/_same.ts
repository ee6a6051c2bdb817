import { countAssertion } from "../_assertions.ts";

/** True when the two types are the same one, `readonly` and optional marks included. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only for `true`; when it runs it counts as an assertion. */
export function holds<_T extends true>(): void {
  countAssertion();
}
