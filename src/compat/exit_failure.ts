import type { ExitReport } from "../ports/transport.ts";
import { ENDED } from "./errors.ts";

/** Why the CLI ended, in the words of the official SDK; undefined for an end as it should be. */
export function exitFailure(
  { code, signal, stderrTail }: ExitReport,
): Error | undefined {
  const tail = stderrTail.trim().slice(-2_048);
  const said = tail === "" ? "" : `. stderr: ${tail}`;
  if (code) {
    const error = new Error(`${ENDED.exited} ${code}${said}`);
    return Object.assign(error, { exitCode: code });
  }
  if (signal === null) return undefined;
  const error = new Error(`${ENDED.killed} ${signal}${said}`);
  return Object.assign(error, { signal });
}
