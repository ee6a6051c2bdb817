import { textOfError } from "../errors/text.ts";
import { SpawnError } from "../process/child.ts";

/** Why a program that is there could not be started, and what helps. */
export function explainStart(error: unknown, path: string): string {
  if (!(error instanceof SpawnError)) return textOfError(error);
  const { cause, failure } = error;
  switch (failure) {
    case "cwd":
      return error.message;
    case "missing":
      return `the file is there, what runs it is not: the program named in its first line, or the system's C library (a program for musl does not start on glibc, nor the other way round)`;
    case "permission":
      return `permission denied: ${
        textOfError(cause)
      }; run chmod +x "${path}", or let the runtime start it`;
    case "other":
      return textOfError(cause);
  }
}
