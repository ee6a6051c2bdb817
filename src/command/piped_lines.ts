import { Change } from "../async/change.ts";
import { printable } from "../errors/printable.ts";
import { cut } from "../errors/text.ts";
import { LineFramer } from "../stream/line_framer.ts";
import { inputOf, type Screen } from "./command_line.ts";

/** Characters shown of a line. */
const MOST_SHOWN = 60;

/**
 * Lines of stdin, read as they come.
 *
 * @param unsent Holds the lines that have come and were not taken
 */
export async function* pipedLines(
  on: Screen,
  signal: AbortSignal,
  unsent: string[],
): AsyncGenerator<string> {
  const framer = new LineFramer({ maxLineBytes: Infinity });
  const news = new Change();
  let isOver = false;
  const add = (lines: Iterable<string>) => {
    for (const line of lines) if (line.trim() !== "") unsent.push(line);
    news.tell();
  };
  const reading = read();
  // Thrown below, when the lines before it are taken.
  reading.catch(() => {});
  for (;;) {
    for (const line of unsent.splice(0, 1)) yield line;
    if (unsent.length > 0) continue;
    if (isOver) return await reading;
    await news.next;
  }

  async function read(): Promise<void> {
    try {
      for await (const bytes of inputOf(on, signal)) add(framer.push(bytes));
      add(framer.end());
    } finally {
      isOver = true;
      news.tell();
    }
  }
}

/** Text about lines that were not sent. */
export function aboutUnsent([first = "", ...more]: readonly string[]): string {
  const beginning = printable(cut(first, MOST_SHOWN));
  return `prompts not sent: ${more.length + 1}, from "${beginning}" on`;
}
