import type { HostSignal } from "../../ports/process.ts";
import type { ExitReport, Launch, Transport } from "../../ports/transport.ts";
import type { Scratch } from "../../runtime/rerun.ts";
import { type MemoryChannel, memoryChannel } from "../memory_channel.ts";
import type { CliProcess } from "./context.ts";

/** Turns of promises in which a CLI that exits does so. */
const EXITING_TURNS = 100;

const encoder = new TextEncoder();

/** Opens channels on which the script in a folder is played in this process. */
export function memoryCli(scratch: Scratch): Transport {
  let opened = 0;
  return {
    async open(launch, signal) {
      const [{ playScript }, { STEPS }] = await Promise.all([
        import("./play.ts"),
        import("./steps.ts"),
      ]);
      signal.throwIfAborted();
      const { self, channel, fail } = imitate(launch, scratch, -++opened);
      playScript(self, STEPS).catch(fail);
      return channel;
    },
  };
}

/** A channel, and the process behind it as far as a fake CLI needs one. */
function imitate(
  { args, env, cwd }: Launch,
  scratch: Scratch,
  pid: number,
): MemoryChannel & { readonly self: CliProcess } {
  const gone = new AbortController();
  const listeners = new Map<HostSignal, () => void>();
  // A script that reads its input begins to before the channel is open.
  let onInput: (bytes: Uint8Array) => void = () => {};
  let onInputEnd: () => void = () => {};
  let stderrTail = "";
  const memory = memoryChannel({
    onLine: (text) => onInput(encoder.encode(`${text}\n`)),
    onEnd: endInput,
    async onStop() {
      for (const ask of [endInput, () => listeners.get("SIGTERM")?.()]) {
        if (!memory.hasExited()) ask();
        for (let turn = 0; turn < EXITING_TURNS; turn++) await undefined;
      }
      end({ code: null, signal: "SIGKILL" });
    },
  });
  const self: CliProcess = {
    pid,
    args: [".", ...args],
    env,
    cwd,
    gone: gone.signal,
    readText: scratch.read,
    appendText: scratch.append,
    readInput(onBytes, onEnd) {
      onInput = onBytes;
      onInputEnd = onEnd;
    },
    write(bytes) {
      void memory.send(bytes);
      return Promise.resolve();
    },
    writeError(text) {
      stderrTail += text;
      return Promise.resolve();
    },
    onSignal(name, listener) {
      listeners.set(name, listener);
      return () => void listeners.delete(name);
    },
    exit: (code) => end({ code }) as never,
  };
  return { ...memory, self };

  function endInput(): void {
    onInputEnd();
    onInputEnd = () => {};
  }

  function end(report: Partial<ExitReport>): void {
    memory.exit({ stderrTail, ...report });
    gone.abort();
  }
}
