import process from "node:process";
import type { WriteStream } from "node:tty";
import { deno } from "./host.ts";

/** Terminals then put marks around a pasted text, or no longer. */
const [MARK_PASTES, MARK_NO_PASTES] = ["\x1b[?2004h", "\x1b[?2004l"];
/** Deno, once it has listened, stops even where no shell could continue it. */
const HEARS_STOP = deno === undefined;
/** A signal of this program to itself arrives sooner, in milliseconds. */
const RESUME_MS = 20;
/** Exit code of a program that SIGQUIT ended. */
const QUIT = 131;

/** The keyboard of this program in raw mode, in which no key is a signal. */
export interface RawKeyboard {
  /** Stops here as any program does, with the terminal as it was; the system ignores that where no shell could continue it. */
  suspend(): void;
  /** Leaves the terminal as it was. */
  close(): void;
}

/** Reads the keyboard in raw mode, with marks around a pasted text; the terminal is as it was while the program is suspended, and at its end. */
export function rawKeyboard(
  screen: WriteStream,
  { hear, onContinue, onEnd }: {
    hear(text: string): void;
    /** A shell may have written below the cursor meanwhile. */
    onContinue(): void;
    onEnd(): void;
  },
): RawKeyboard {
  const { stdin } = process;
  const decoder = new TextDecoder();
  let resuming: ReturnType<typeof setTimeout> | undefined;

  function take(bytes: Uint8Array | string): void {
    hear(
      typeof bytes === "string"
        ? bytes
        : decoder.decode(bytes, { stream: true }),
    );
  }

  function begin(): void {
    // A shell may have changed the mode, which the runtime does not know.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    screen.write(MARK_PASTES);
  }

  function rest(): void {
    screen.write(MARK_NO_PASTES);
    stdin.setRawMode(false);
  }

  function goOn(): void {
    begin();
    onContinue();
  }

  function suspend(): void {
    if (process.platform === "win32") return;
    rest();
    process.off("SIGTSTP", suspend);
    process.kill(process.pid, "SIGTSTP");
    begin();
    clearTimeout(resuming);
    if (HEARS_STOP) {
      resuming = setTimeout(() => process.on("SIGTSTP", suspend), RESUME_MS);
    }
  }

  stdin.on("data", take);
  stdin.on("end", onEnd);
  stdin.on("error", onEnd);
  process.on("exit", rest);
  if (process.platform !== "win32") {
    if (HEARS_STOP) process.on("SIGTSTP", suspend);
    process.on("SIGCONT", goOn);
    process.on("SIGQUIT", quit);
  }
  begin();

  return {
    suspend,
    close() {
      clearTimeout(resuming);
      process.off("exit", rest);
      process.off("SIGTSTP", suspend);
      process.off("SIGCONT", goOn);
      process.off("SIGQUIT", quit);
      stdin.off("data", take);
      stdin.off("end", onEnd);
      stdin.off("error", onEnd);
      stdin.pause();
      rest();
    },
  };
}

/** Ends as by SIGQUIT, but with the terminal as it was. */
function quit(): void {
  process.exit(QUIT);
}
