import { systemClock } from "../async/system_clock.ts";
import type { ResultMessage } from "../protocol/messages_turn.ts";
import { query } from "../query.ts";
import type { Program } from "../runtime/program.ts";
import type { Conversation } from "../types/conversation.ts";
import { agentOptions, readSchema, warnOf } from "./agent.ts";
import {
  type ChatFlags,
  DONE,
  FAILED,
  INTERRUPTED,
  type Screen,
  untilEnded,
  UsageError,
} from "./command_line.ts";
import { printer } from "./printer.ts";
import { isPrevented } from "./summaries.ts";

/** How long a pipe beside a prompt may say nothing, in milliseconds: what inherits an open one would wait for ever. */
const SILENCE_MS = 3_000;

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
    const printed = printer(on, {
      json,
      showsText: flags.schema === undefined,
    });
    const options = await agentOptions(flags, on, { ...printed, signal });
    const schema = flags.schema === undefined
      ? undefined
      : await readSchema(flags.schema);
    conversation = query(text, {
      ...options,
      includePartialMessages: !json,
      outputSchema: schema,
    });
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
    } finally {
      hideActivity();
    }
    await warned;
    if (wasInterrupted) return INTERRUPTED;
    if (result === undefined || result.is_error) return FAILED;
    // The CLI calls it a success, though the model was never asked.
    if (wasPrevented && result.num_turns === 0) return FAILED;
    if (schema !== undefined && !json) {
      await on.json(await conversation.output());
    }
    return DONE;
  }
}

/** The prompt of the command line, what comes by stdin, or the first and below it the second. */
async function readPrompt(
  given: string | undefined,
  on: Screen,
  signal: AbortSignal,
): Promise<string> {
  const { program } = on;
  const words = given === "-" ? undefined : given;
  if (program.terminals.stdin) {
    if (words !== undefined && words.trim() !== "") return words;
    throw new UsageError(
      "There is no prompt: give one, or let it come by a pipe",
    );
  }
  const piped = await readInput(program, signal, words !== undefined);
  if (piped === undefined) {
    await on.note(
      on.err.yellow(
        `nothing came by stdin in ${SILENCE_MS} ms, going on without; </dev/null says so at once`,
      ),
    );
  }
  const texts = [words, piped].filter((text) => text && text.trim() !== "");
  if (texts.length > 0) return texts.join("\n\n");
  throw new UsageError("There is no prompt: neither words nor stdin say any");
}

/** All of stdin; `undefined` where it need not be there and says nothing. */
async function readInput(
  program: Program,
  signal: AbortSignal,
  mayBeSilent: boolean,
): Promise<string | undefined> {
  const decoder = new TextDecoder();
  const silence = new AbortController();
  let text = "";
  const whole = new Promise<string>((resolve, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason));
    program.readInput(
      (bytes) => {
        silence.abort();
        text += decoder.decode(bytes, { stream: true });
      },
      () => resolve(text + decoder.decode()),
    );
  });
  if (!mayBeSilent) return await whole;
  // It may come to nothing after all have gone on.
  whole.catch(() => {});
  const silent = systemClock.sleep(SILENCE_MS, silence.signal)
    .then(() => undefined, () => whole);
  try {
    return await Promise.race([whole, silent]);
  } finally {
    silence.abort();
  }
}
