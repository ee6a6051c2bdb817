import type { Interface } from "node:readline";
import type { WriteStream } from "node:tty";
import type { TakeKeys } from "./key_reader.ts";

/** Lines shown of a pasted text. */
const MOST_SHOWN = 20;
/** Ended lines shown again. */
const MOST_AGAIN = 10;
/** Control characters, which a prompt ignores. */
// deno-lint-ignore no-control-regex -- that is what is looked for
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A pasted text does not drive the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(CONTROLS, "");
}

/** Input of a person at a prompt. */
export type Typed =
  /** One line or several: a pasted text, lines that end in `\`, or Alt-Enter. */
  | { readonly kind: "line"; readonly text: string }
  /** Ctrl-C. */
  | { readonly kind: "interrupt" }
  /** Ctrl-D, or the terminal is gone. */
  | { readonly kind: "end" };

/** Input at a prompt so far. */
export interface Draft {
  /** Lines that are ended. */
  readonly held: string[];
  text: string;
  cursor: number;
}

/** The prompt behind the lines that are ended: readline clears all its rows away. */
function promptOf(prompt: string, held: readonly string[]): string {
  const again = held.slice(-MOST_AGAIN);
  const hidden = held.length - again.length;
  const more = hidden > 0 ? [`(${hidden} more lines)`] : [];
  return [...more, ...again, ""]
    .map((row, at) => `${at === 0 ? prompt : "… "}${row}`).join("\n");
}

/**
 * Shows a prompt with the input so far.
 *
 * @param onInput Gets the whole input: one line or several
 * @returns What takes a pasted text, and a key that breaks the line
 */
export function promptLine(
  lines: Interface,
  screen: WriteStream,
  prompt: string,
  { cursor, held, text }: Draft,
  onInput: (text: string) => void,
): TakeKeys {
  let isBroken = false;

  function more(text: string): void {
    isBroken = false;
    held.push(text);
    lines.setPrompt("… ");
    lines.prompt();
  }

  function breakLine(): void {
    isBroken = true;
    lines.write(null, { name: "return" });
  }

  function paste(text: string): void {
    const pasted = text.replaceAll(/\r\n?/g, "\n").split("\n")
      .map(withoutControls);
    const last = pasted.pop() ?? "";
    for (const one of pasted.slice(0, MOST_SHOWN)) {
      lines.write(one);
      breakLine();
    }
    const hidden = pasted.slice(MOST_SHOWN);
    if (hidden.length > 0) {
      held.push(...hidden);
      screen.write(`\r(${hidden.length} more lines)\n`);
      lines.prompt();
    }
    if (last !== "") lines.write(last);
  }

  lines.on("line", (text) => {
    const isOpen = /(?<!\\)(?:\\\\)*\\$/.test(text);
    if (isBroken) more(text);
    else if (isOpen) more(text.slice(0, -1));
    else onInput([...held, text].join("\n"));
  });
  lines.setPrompt(promptOf(prompt, held));
  lines.prompt();
  if (text !== "") lines.write(text);
  if (cursor < text.length) {
    Object.assign(lines, { cursor });
    lines.prompt(true);
  }
  return (keys) => keys.kind === "paste" ? paste(keys.text) : breakLine();
}

/**
 * Shows the last line of a question; a pasted text ends no answer.
 *
 * @param request Codes written with the prompt, the first time only
 */
export function questionLine(
  lines: Interface,
  { prompt, request = "" }: {
    readonly prompt: string;
    readonly request?: string | undefined;
  },
  onInput: (text: string) => void,
): TakeKeys {
  lines.once("line", onInput);
  // One write: an answer to a prompt in sight comes behind the report.
  lines.setPrompt(prompt + request);
  lines.prompt();
  lines.setPrompt(prompt);
  return (keys) => {
    if (keys.kind !== "paste") return;
    lines.write(withoutControls(keys.text.replaceAll(/[\r\n]+/g, " ")));
  };
}
