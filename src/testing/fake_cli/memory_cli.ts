import { systemClock } from "../../async/system_clock.ts";
import type { HostSignal } from "../../ports/process.ts";
import type { ExitReport, Launch, Transport } from "../../ports/transport.ts";
import type { Scratch } from "../../runtime/rerun.ts";
import { type MemoryChannel, memoryChannel } from "../memory_channel.ts";
import type { CliProcess } from "./context.ts";

/** Rounds of the event loop in which a CLI that stops on its own does so. */
const STOPPING_ROUNDS = 3;

const encoder = new TextEncoder();

/** Opens channels on which the script in a folder is played in this process. */
export function memoryCli(scratch: Scratch): Transport {
  let opened = 0;
  return {
    async open(launch, signal) {
      const [{ playScript }, { STEPS }] = await Promise.all([
        import("./session.ts"),
        import("./steps.ts"),
      ]);
      signal.throwIfAborted();
      const { self, channel, fail } = imitate(launch, scratch, ++opened);
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
  let feed = (_bytes: Uint8Array) => {};
  let endInput = () => {};
  let stderrTail = "";
  const memory = memoryChannel({
    onLine: (text) => feed(encoder.encode(`${text}\n`)),
    onEnd: () => endInput(),
    async onStop() {
      endInput();
      await settle();
      if (!memory.hasExited()) listeners.get("SIGTERM")?.();
      await settle();
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
      feed = onBytes;
      endInput = () => {
        endInput = () => {};
        onEnd();
      };
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

  function end(report: Partial<ExitReport>): void {
    memory.exit({ stderrTail, ...report });
    gone.abort();
  }
}

/** Lets a CLI that ends on its own do so. */
async function settle(): Promise<void> {
  for (let round = 0; round < STOPPING_ROUNDS; round++) {
    await systemClock.sleep(0);
  }
}
