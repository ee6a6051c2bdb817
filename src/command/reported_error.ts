import { isAgentError } from "../errors/base.ts";
import { CliNotFoundError } from "../errors/cli.ts";
import { printable, textOfError } from "../errors/text.ts";
import {
  DONE,
  FAILED,
  INSTALL_CLI,
  type Screen,
  USAGE,
  UsageError,
} from "./command_line.ts";
import { OPTIONS } from "./flags.ts";

/** Prints an error, and gives the exit code that fits. */
export async function reportError(
  error: unknown,
  on: Screen,
  isJson: boolean,
): Promise<number> {
  if (on.program.outputClosed.aborted) return DONE;
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
  return text.replaceAll(
    /(?:\boption |(\bwhen ))"([\w.-]+?)(?:\[\d+\])?"/gi,
    (whole, before: string = "", key: string) => {
      const [flag] = Object.entries(OPTIONS)
        .find(([, option]) => option === key) ?? [];
      return flag === undefined ? whole : `${before}--${flag}`;
    },
  );
}
