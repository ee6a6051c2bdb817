import { createInterface, type Interface } from "node:readline";
import { Readable } from "node:stream";
import type { WriteStream } from "node:tty";
import { isSilentTerminal } from "./shown_report.ts";

const encoder = new TextEncoder();

/** A line that a person edits, until a value settles it. */
export interface EditedLine<T> {
  readonly lines: Interface;
  readonly settled: Promise<T>;
  settle(value: T): void;
  /** Takes keys as they were typed. */
  type(keys: string): void;
  /** Codes that clear its rows away. */
  clearing(): string;
}

/** Begins a line, with those before it behind the arrow keys. */
export function editedLine<T>(
  screen: WriteStream,
  signal: AbortSignal,
  { history, onClose }: {
    readonly history?: string[] | undefined;
    /** Ctrl-D. */
    readonly onClose: () => void;
  },
): EditedLine<T> {
  const input = new Readable({ read() {} });
  const lines = createInterface({
    input,
    output: screen,
    terminal: true,
    removeHistoryDuplicates: true,
    ...history && { history },
  });
  let settle: (value: T) => void = () => {};
  let abort = () => {};
  // Without a line the cursor stays behind the question.
  const close = () => {
    screen.write("\n");
    onClose();
  };
  const settled = new Promise<T>((resolve, reject) => {
    settle = resolve;
    abort = () => {
      screen.write("\n");
      reject(signal.reason);
    };
    signal.addEventListener("abort", abort, { once: true });
    lines.once("close", close);
  }).finally(() => {
    signal.removeEventListener("abort", abort);
    lines.off("close", close);
    lines.close();
  });
  return {
    lines,
    settled,
    settle,
    type(keys) {
      // Node puts letters that come together at the end of the line, wherever the cursor is.
      for (const key of keys) input.emit("data", encoder.encode(key));
    },
    clearing() {
      if (isSilentTerminal()) return "\n";
      const { rows } = lines.getCursorPos();
      return `\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J`;
    },
  };
}
