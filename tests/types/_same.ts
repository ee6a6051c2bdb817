/** True when the two types are the same one, `readonly` and optional marks included. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends
  (<T>() => T extends B ? 1 : 2) ? true : false;

/** Compiles only for `true`; does nothing when it runs. */
export function holds<_T extends true>(): void {}
