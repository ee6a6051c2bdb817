import type { SpawnFailure } from "../ports/process.ts";

const BY_CODE: ReadonlyMap<unknown, SpawnFailure> = new Map([
  ["ENOENT", "missing"],
  ["ENOTDIR", "missing"],
  ["EACCES", "permission"],
  ["EPERM", "permission"],
]);

/** Deno's errors have names of their own, and not all of them a `code`. */
const BY_NAME: ReadonlyMap<unknown, SpawnFailure> = new Map([
  ["NotFound", "missing"],
  ["PermissionDenied", "permission"],
  ["NotCapable", "permission"],
]);

/** Says which of the neutral failures the error of a start is. */
export function failureOf(error: unknown): SpawnFailure {
  const { code, name } = Object(error) as {
    readonly code?: unknown;
    readonly name?: unknown;
  };
  return BY_CODE.get(code) ?? BY_NAME.get(name) ?? "other";
}
