import type { Terminal } from "../ports/terminal.ts";
import type { LineEditor } from "../runtime/line_editor.ts";
import { terminal } from "../runtime/terminal.ts";
import type { Screen } from "./command_line.ts";

/** The terminal of a chat: a question has the screen until its answer. */
export function terminalOf(editor: LineEditor): Terminal {
  const own = terminal();
  return {
    ...own,
    ask: editor.ask,
    async takeTurn(signal) {
      const giveBack = await editor.takeScreen();
      try {
        const endTurn = await own.takeTurn?.(signal);
        return () => {
          endTurn?.();
          giveBack();
        };
      } catch (error) {
        giveBack();
        throw error;
      }
    },
  };
}

/** Output of which each piece takes the screen from an open prompt. */
export function besidePrompt(on: Screen, editor: LineEditor): Screen {
  function beside<T>(
    write: (value: T) => Promise<void>,
  ): (value: T) => Promise<void> {
    return async (value) => {
      const giveBack = await editor.takeScreen();
      try {
        await write(value);
      } finally {
        giveBack();
      }
    };
  }
  return {
    ...on,
    get width() {
      return on.width;
    },
    write: beside(on.write),
    json: beside(on.json),
    note: beside(on.note),
  };
}
