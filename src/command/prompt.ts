import { systemClock } from "../async/system_clock.ts";
import type { Program } from "../runtime/program.ts";
import { LineFramer } from "../stream/line_framer.ts";
import type { Screen } from "./screen.ts";
import { UsageError } from "./flags.ts";

/** How long a pipe beside a prompt may say nothing, in milliseconds: what inherits an open one would wait for ever. */
const SILENCE_MS = 3_000;

/** The prompt of the command line, what comes by stdin, or the first and below it the second. */
export async function readPrompt(
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

/** The lines of stdin, as they come. */
export async function* inputLines(
  program: Program,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const framer = new LineFramer({ maxLineBytes: Infinity });
  const lines: string[] = [];
  let isOver = false;
  let wake = () => {};
  program.readInput((bytes) => {
    lines.push(...framer.push(bytes));
    wake();
  }, () => {
    lines.push(...framer.end());
    isOver = true;
    wake();
  });
  const stop = () => wake();
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      signal.throwIfAborted();
      const line = lines.shift();
      if (line !== undefined) yield line;
      else if (isOver) return;
      else await new Promise<void>((resolve) => wake = resolve);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
