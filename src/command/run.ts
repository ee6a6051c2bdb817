import { settleWithin } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { query } from "../query.ts";
import { isQuestionOpen } from "../runtime/terminal.ts";
import { agentOptions, askQuietly, readSchema, warnOf } from "./agent.ts";
import {
  type AgentFlags,
  inputOf,
  type Screen,
  type Turn,
  untilEnded,
  UsageError,
} from "./command_line.ts";
import { DONE, FAILED, INTERRUPTED } from "./exit_codes.ts";
import { printer } from "./printer.ts";
import { isPrevented } from "./summaries.ts";

/** Longest silence of a pipe beside a prompt, in milliseconds: an inherited one may stay open for ever. */
const SILENCE_MS = 3_000;

interface RunFlags extends AgentFlags {
  readonly schema?: string;
}

/** Runs an agent on one prompt: the answer on stdout, what it does on stderr. */
export function run(
  prompt: string | undefined,
  flags: RunFlags,
  on: Screen,
): Promise<number> {
  return untilEnded(on, async (signal, turn) => {
    const text = await readPrompt(prompt, on, signal);
    return await converse(text, flags, on, signal, turn);
  });
}

async function converse(
  text: string,
  flags: RunFlags,
  on: Screen,
  signal: AbortSignal,
  turn: Turn,
): Promise<number> {
  const { json, schema } = flags;
  const printed = printer(on, {
    json,
    showsText: schema === undefined,
    isQuestionOpen,
  });
  const conversation = query(text, {
    ...await agentOptions(flags, on, {
      canUseTool: askQuietly(printed.quietly, turn),
      signal,
    }),
    includePartialMessages: !json,
    outputSchema: schema === undefined ? undefined : await readSchema(schema),
  });
  turn.running = conversation;
  // With --json stderr is for what ends it.
  const warned = json ? undefined : warnOf(conversation, printed.note, on);
  const hideActivity = printed.showActivity();
  let result: ResultMessage | undefined;
  let wasPrevented = false;
  try {
    for await (const message of conversation) {
      if (message.type === "result") result = message;
      wasPrevented ||= isPrevented(message);
      await printed.print(message, conversation.cost());
    }
    hideActivity();
    await warned;
    if (turn.wasInterrupted) return INTERRUPTED;
    if (result === undefined || result.is_error) return FAILED;
    // The CLI calls it a success, though the model was never asked.
    if (wasPrevented && result.num_turns === 0) return FAILED;
    if (schema !== undefined && !json) {
      await on.json(await conversation.output());
    }
    return DONE;
  } finally {
    hideActivity();
    await conversation.close();
  }
}

/** The prompt of the command line, that of stdin, or the first and below it the second. */
async function readPrompt(
  given: string | undefined,
  on: Screen,
  signal: AbortSignal,
): Promise<string> {
  const words = given === "-" ? undefined : given;
  const piped = on.program.terminals.stdin
    ? undefined
    : await readInput(on, signal, words !== undefined);
  const texts = [words, piped].filter((text) => text && text.trim() !== "");
  if (texts.length > 0) return texts.join("\n\n");
  throw new UsageError("No prompt given: write one, or send it by a pipe");
}

/** All of stdin; `undefined` where it is optional and silent. */
async function readInput(
  on: Screen,
  signal: AbortSignal,
  isOptional: boolean,
): Promise<string | undefined> {
  const reader = inputOf(on, signal).getReader();
  const first = reader.read();
  if (isOptional && !await settleWithin(first, SILENCE_MS, systemClock)) {
    // It may fail later, when everything ends.
    first.catch(() => {});
    const text =
      `nothing came by stdin in ${SILENCE_MS} ms, continuing without; </dev/null avoids the wait`;
    await on.note(on.err.yellow(text));
    return undefined;
  }
  const decoder = new TextDecoder();
  let text = "";
  for (let next = await first; !next.done; next = await reader.read()) {
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}
