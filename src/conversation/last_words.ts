import { settleWithin } from "../async/deadline.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import type { Ground } from "./parts.ts";

/** After a failed write a CLI gets so long to end, since its end says more. */
export const LAST_WORDS_MS = 1_000;

/** A prompt was lost: the end of the CLI is the story, and one that lives on without hearing is at its end too. */
export async function endUnheard(
  { live, ending, settings, context }: Ground,
  cause: unknown,
): Promise<void> {
  const exited = live.channel?.exited;
  if (exited !== undefined) {
    await settleWithin(exited, LAST_WORDS_MS, settings.clock);
  }
  if (live.hasExited === true || ending.reason !== undefined) return;
  await ending.fail(
    new CliError({
      stage: "write",
      message: `Prompt could not be written: ${textOfError(cause)}`,
      cause,
      context: context(),
    }),
  );
}
