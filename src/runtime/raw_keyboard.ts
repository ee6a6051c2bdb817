import process from "node:process";
import type { WriteStream } from "node:tty";
import { deno } from "./host.ts";
import { isStdinOnly } from "./key_flow.ts";
import { comeToFront, isInBackground, RAISED_MS } from "./terminal_job.ts";

/** Terminals then put marks around a pasted text, or no longer. */
const [MARK_PASTES, MARK_NO_PASTES] = ["\x1b[?2004h", "\x1b[?2004l"];
/** Deno, once it has listened, stops even where no shell could continue it. */
const HEARS_STOP = deno === undefined;
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
  { ending, hear, onContinue, onEnd }: {
    /** Aborted when the program is to end. */
    ending: AbortSignal;
    hear(text: string): void;
    /** A shell may have written below the cursor meanwhile. */
    onContinue(): void;
    onEnd(): void;
  },
): RawKeyboard {
  const { stdin } = process;
  const decoder = new TextDecoder();
  let resuming: ReturnType<typeof setTimeout> | undefined;
  let isRaw = false;
  let isClosed = false;
  let coming: Promise<void> | undefined;

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
    isRaw = true;
    stdin.resume();
    screen.write(MARK_PASTES);
  }

  function rest(): void {
    if (isRaw && !isInBackground()) {
      screen.write(MARK_NO_PASTES);
      stdin.setRawMode(false);
    }
    isRaw = false;
    // The system would stop a job in the background that reads.
    if (!isStdinOnly) stdin.pause();
  }

  /** Begins once this job has the keyboard. */
  function beginInFront(): Promise<void> {
    return coming ??= comeToFront(stdin, ending)
      .then(() => {
        if (!isClosed) begin();
      })
      .finally(() => coming = undefined);
  }

  function goOn(): void {
    // Stopped without notice, it still reads.
    if (isInBackground()) rest();
    beginInFront().then(onContinue, () => {});
  }

  function suspend(): void {
    if (process.platform === "win32") return;
    rest();
    process.off("SIGTSTP", suspend);
    process.kill(process.pid, "SIGTSTP");
    beginInFront().catch(() => {});
    clearTimeout(resuming);
    if (HEARS_STOP) {
      resuming = setTimeout(() => process.on("SIGTSTP", suspend), RAISED_MS);
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
      isClosed = true;
      clearTimeout(resuming);
      process.off("exit", rest);
      process.off("SIGTSTP", suspend);
      process.off("SIGCONT", goOn);
      process.off("SIGQUIT", quit);
      stdin.off("data", take);
      stdin.off("end", onEnd);
      // Of a terminal that was closed, this emits an error.
      rest();
      stdin.off("error", onEnd);
      stdin.pause();
    },
  };
}

/** Ends as by SIGQUIT, but with the terminal as it was. */
function quit(): void {
  process.exit(QUIT);
}
