/**
 * The official SDK's entry `./extract`, which takes a CLI out of a program made by `bun build --compile`.
 *
 * @module
 */
import { NotInThisPackageError } from "./absent.ts";

/** Throws `NotInThisPackageError`. */
export function extractFromBunfs(_embeddedPath: string): string {
  throw new NotInThisPackageError(
    "./extract extractFromBunfs()",
    "no CLI comes inside of a program; set pathToClaudeCodeExecutable to one that is installed",
  );
}
