import { QUIET_MS } from "./quiet.ts";

/** Keys of a terminal, as far as a line editor tells them apart. */
export type Keys =
  /** Up to a key that may end the line. */
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "paste"; readonly text: string }
  /** Alt-Enter. */
  | { readonly kind: "break" };

export type TakeKeys = (keys: Keys) => void;

/** Terminals put these around a pasted text, once they were asked to. */
const PASTE_END = "\x1b[201~";
// deno-lint-ignore no-control-regex -- marks are escape sequences
const PASTE_MARK = /\x1b\[20[01]~/;
// deno-lint-ignore no-control-regex -- marks are escape sequences
const BEGUN_MARK = /(?:\x1b(?:\[(?:2(?:0[01]?)?)?)?)?$/;
/** A paste of which nothing has come for this long has lost its end mark, in milliseconds. */
const PASTE_MS = 1_000;
const INTERRUPT = "\x03";
const SUSPEND = "\x1a";
/** The rest of a sequence follows its Escape sooner than a person types, in milliseconds. */
const ESCAPE_MS = 50;
/** Each part ends with a key that may end a line, or that readline does not handle. */
// deno-lint-ignore no-control-regex -- keys of a terminal are control characters
const PARTS = /([^\r\n\x03\x04\x1a]*?)(\x1b[\r\n]|[\r\n\x03\x04\x1a]|$)/g;

/** Reads keys of a terminal. */
export interface KeyReader {
  read(text: string): void;
  /** Whether a paste has lost its end mark: a line may be its rest. */
  isPasteCut(): boolean;
  /** A person is known to type. */
  forgetPaste(): void;
}

/** Tells keys apart, and hands each to whom it was typed for. */
export function keyReader<Taker>(
  current: () => Taker,
  { take, interrupt, suspend }: {
    take(keys: Keys, to: Taker): void;
    interrupt(): void;
    suspend(): void;
  },
): KeyReader {
  let open = "";
  let pasteFor: { readonly taker: Taker } | undefined;
  /** The last paste lost its end mark. */
  let late: {
    readonly taker: Taker;
    /** Length of the mark that had begun. */
    readonly begun: number;
    /** For whom keys are that may be the rest of it. */
    heldFor?: { readonly taker: Taker };
  } | undefined;
  /** The end mark of a paste is still to come. */
  let isCut = false;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function text(typed: string, to = current): void {
    for (const [, before = "", last = ""] of typed.matchAll(PARTS)) {
      const isKept = last.length === 1 && last !== INTERRUPT &&
        last !== SUSPEND;
      const part = isKept ? before + last : before;
      if (part !== "") take({ kind: "text", text: part }, to());
      if (last.length === 2) take({ kind: "break" }, to());
      else if (last === INTERRUPT) interrupt();
      else if (last === SUSPEND) suspend();
    }
  }

  function paste(text: string, to: Taker): void {
    if (text !== "") take({ kind: "paste", text }, to);
  }

  /** Takes keys that came after a paste without an end mark as typed ones. */
  function release(typed: string): void {
    const { begun = 0, heldFor } = late ?? {};
    late = undefined;
    text(typed.slice(begun), heldFor && (() => heldFor.taker));
  }

  /** Ends a paste as if its end mark had come. */
  function lose(taker: Taker): void {
    const at = open.search(BEGUN_MARK);
    const pasted = open.slice(0, at);
    open = open.slice(at);
    pasteFor = undefined;
    isCut = true;
    late = { taker, begun: open.length };
    paste(pasted, taker);
  }

  function wait(ms: number, then: () => void): void {
    timer = setTimeout(then, ms);
    timer.unref();
  }

  function parse(isWhole: boolean): void {
    for (;;) {
      const mark = pasteFor === undefined
        ? PASTE_MARK.exec(open)?.[0] ?? PASTE_END
        : PASTE_END;
      const at = open.indexOf(mark);
      if (at < 0) break;
      const before = open.slice(0, at);
      open = open.slice(at + mark.length);
      if (mark === PASTE_END) {
        // Also without a begin mark: the rest of a paste that came late.
        const { taker } = pasteFor ?? late ?? { taker: current() };
        pasteFor = late = undefined;
        isCut = false;
        paste(before, taker);
      } else {
        release(before);
        pasteFor = { taker: current() };
      }
    }
    if (pasteFor !== undefined) {
      const { taker } = pasteFor;
      return wait(PASTE_MS, () => lose(taker));
    }
    if (late !== undefined && !isWhole) {
      late.heldFor ??= { taker: current() };
      return wait(QUIET_MS, () => parse(true));
    }
    const at = isWhole ? open.length : open.search(BEGUN_MARK);
    const now = open.slice(0, at);
    open = open.slice(at);
    release(now);
    // No key ends within a mark: the rest may take as long as a paste.
    const ms = open.length > 1 ? PASTE_MS : ESCAPE_MS;
    if (open === "") return;
    wait(ms, () => {
      // The begin mark may be cut, too.
      isCut ||= open.length > 1;
      parse(true);
    });
  }

  return {
    read(text) {
      // Reports of the terminal are taken out: nothing of a paste came.
      if (text === "") return;
      clearTimeout(timer);
      open += text;
      parse(false);
    },
    isPasteCut: () => isCut,
    forgetPaste: () => void (isCut = false),
  };
}
