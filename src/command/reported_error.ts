import { isAgentError } from "../errors/base.ts";
import { CliNotFoundError } from "../errors/cli.ts";
import { printable } from "../errors/printable.ts";
import { textOfError } from "../errors/text.ts";
import { INSTALL_CLI, type Screen, UsageError } from "./command_line.ts";
import { FAILED, USAGE } from "./exit_codes.ts";
import { FLEET_OPTIONS, OPTIONS } from "./flags.ts";

/** Prints an error, and gives the exit code that fits. */
export async function reportError(
  error: unknown,
  on: Screen,
  isJson: boolean,
): Promise<number> {
  const isUsage = error instanceof UsageError ||
    isAgentError(error) && error.code === "config";
  const text = errorText(error);
  if (isJson) {
    const code = isAgentError(error) ? error.code : isUsage ? "usage" : "error";
    await on.json({ type: "error", code, message: text });
  }
  await on.note(`${on.err.red("error")}: ${printable(text)}`);
  return isUsage ? USAGE : FAILED;
}

/** An error in the words of the command line. */
function errorText(error: unknown): string {
  if (error instanceof CliNotFoundError) {
    const source = error.discovery?.attempts[0]?.source;
    // It was searched for.
    if (source !== "option" && source !== "environment") {
      return `Claude CLI not found: ${INSTALL_CLI}; sluice doctor lists all places that were looked at`;
    }
  }
  const text = textOfError(error);
  if (!isAgentError(error)) return text;
  const fix = "fault" in error ? FLEET_FIXES[String(error.fault)] : undefined;
  return text.replaceAll(
    /(?:\boption |(\bwhen ))"([\w.-]+?)(?:\[\d+\])?"/gi,
    (whole, before: string = "", key: string) => {
      const [flag] = Object.entries(OPTIONS)
        .find(([, option]) => option === key) ?? [];
      const word = flag === undefined ? FLEET_OPTIONS[key] : `--${flag}`;
      return word === undefined ? whole : `${before}${word}`;
    },
  ) + (fix === undefined ? "" : `; ${fix}`);
}

/** Fixes by the fault of a fleet. */
const FLEET_FIXES: Readonly<Record<string, string>> = {
  unreachable: "--server, or the variable NATS_URL, says where it is",
  unreadable: "the variable SLUICE_FLEET_KEY has its key",
  refused:
    "--creds, or the variables NATS_USER and NATS_PASSWORD, say who asks",
};
