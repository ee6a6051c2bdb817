import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { SpawnError } from "../process/child.ts";

/** Why a program that is there could not be started, and what helps. */
export function explainStart(host: Host, error: unknown, path: string): string {
  if (!(error instanceof SpawnError)) return textOfError(error);
  if (error.failure === "cwd") return error.message;
  const reason = textOfError(error.cause);
  switch (host.failureOf(error.cause)) {
    case "missing":
      return `the file is there, what runs it is not: the program named in its first line, or the system's C library (a program for musl does not start on glibc, nor the other way round)`;
    case "permission":
      return `permission denied: ${reason}; run chmod +x "${path}", or let the runtime start it`;
    case "other":
      return reason;
  }
}
