import process from "node:process";
import { createInterface } from "node:readline";
import type { Terminal } from "../ports/terminal.ts";

/** The terminal of this program: questions go to stderr, since stdout may be what the program makes. */
export function terminal(): Terminal {
  const { stdin, stdout, stderr } = process;
  const screen = [stderr, stdout].find(({ isTTY }) => isTTY);
  return {
    isPerson: stdin.isTTY === true && screen !== undefined,
    ask: (text, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        (screen ?? stderr).write(text);
        // The terminal edits the line, and Ctrl-C stays a signal.
        const lines = createInterface({ input: stdin, terminal: false });
        const leave = () => {
          signal.removeEventListener("abort", abort);
          lines.removeAllListeners();
          lines.close();
        };
        const abort = () => {
          leave();
          reject(signal.reason);
        };
        signal.addEventListener("abort", abort, { once: true });
        const answer = (line?: string) => {
          leave();
          resolve(line);
        };
        lines.once("line", answer);
        lines.once("close", () => answer());
      }),
  };
}
