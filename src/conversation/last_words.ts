import { settleWithin } from "../async/deadline.ts";
import { CliError } from "../errors/cli.ts";
import { textOfError } from "../errors/text.ts";
import { limitOf } from "./endings.ts";
import type { Ground } from "./parts.ts";

/** A prompt was lost: the end of the CLI is the story, and one that lives on without hearing is at its end too. */
export async function endUnheard(
  { live, ending, settings, context }: Ground,
  cause: unknown,
): Promise<void> {
  const gone = live.channel?.gone;
  if (gone !== undefined) {
    await settleWithin(
      gone,
      limitOf("lastWords", settings),
      settings.clock,
    );
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
