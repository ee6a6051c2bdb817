import { printable, textOfError } from "../errors/text.ts";
import { query } from "../query.ts";
import type { Conversation } from "../types/conversation.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { agentOptions, readSchema } from "./agent.ts";
import { DONE, FAILED, INTERRUPTED } from "./exit_code.ts";
import { untilEnded } from "./interrupts.ts";
import { readPrompt } from "./prompt.ts";
import type { Screen } from "./screen.ts";
import { teller } from "./teller.ts";
import type { ChatFlags } from "./flags.ts";

interface RunFlags extends ChatFlags {
  readonly schema?: string;
}

/** Runs an agent on one prompt: the answer on stdout, what it does on stderr. */
export function run(
  prompt: string | undefined,
  flags: RunFlags,
  on: Screen,
): Promise<number> {
  let conversation: Conversation | undefined;
  let wasInterrupted = false;
  return untilEnded(on.program, async (signal) => {
    try {
      return await converse(signal);
    } finally {
      await conversation?.close();
    }
  }, () => {
    if (conversation === undefined || wasInterrupted) return false;
    wasInterrupted = true;
    // Where it cannot be told, the next Ctrl-C ends it.
    conversation.interrupt().catch(() => {});
    void on.note(on.err.dim("interrupting; Ctrl-C again ends everything"));
    return true;
  });

  async function converse(signal: AbortSignal): Promise<number> {
    const text = await readPrompt(prompt, on, signal);
    const { json } = flags;
    const told = teller(on, { json, showsText: flags.schema === undefined });
    const options = await agentOptions(flags, on, { ...told, signal });
    const schema = flags.schema === undefined
      ? undefined
      : await readSchema(flags.schema);
    conversation = query(text, {
      ...options,
      includePartialMessages: !json,
      outputSchema: schema,
    });
    // With --json stderr is for what ends it.
    const warned = json ? undefined : warnOf(conversation, told.note, on);
    const hideActivity = told.showActivity();
    let result: ResultMessage | undefined;
    try {
      for await (const message of conversation) {
        if (message.type === "result") result = message;
        await told.tell(message, conversation.cost());
      }
    } finally {
      hideActivity();
    }
    await warned;
    if (wasInterrupted) return INTERRUPTED;
    if (result === undefined || result.is_error) return FAILED;
    if (schema !== undefined && !json) {
      await on.json(await conversation.output());
    }
    return DONE;
  }
}

/** What went wrong and ended nothing. */
export async function warnOf(
  { errors }: Pick<Conversation, "errors">,
  note: (text: string) => Promise<void>,
  { err }: Screen,
): Promise<void> {
  for await (const error of errors) {
    if (error.fatal) continue;
    await note(err.yellow(`warning: ${printable(textOfError(error))}`));
  }
}
