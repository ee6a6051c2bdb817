import type { Host } from "../ports/host.ts";
import type { DenoGlobal } from "./globals.ts";

/** Deno calls signal listeners in the order of their coming, so those for one time that came before ours are gone when ours is called. */
export function denoSignals(
  runtime: DenoGlobal,
): Pick<Host, "onSignal" | "otherSignalListeners"> {
  const earlier = new Map<string, number>();
  // Not at once, since the first look loads a module of Node, while the child that is to get the signals starts.
  const lookSoon = (signal: string) =>
    setImmediate(() => {
      if (earlier.has(signal)) earlier.set(signal, processListeners(signal));
    });
  return {
    onSignal(signal, listener) {
      // Windows has none of the others, and Deno throws when they are asked for there.
      if (runtime.build.os === "windows" && signal !== "SIGINT") {
        return () => {};
      }
      const hear = () => {
        listener();
        lookSoon(signal);
      };
      runtime.addSignalListener(signal, hear);
      earlier.set(signal, 0);
      lookSoon(signal);
      return () => {
        runtime.removeSignalListener(signal, hear);
        earlier.delete(signal);
      };
    },
    otherSignalListeners: (signal) =>
      Math.max(processListeners(signal), earlier.get(signal) ?? 0),
  };
}

/** Those of `process`, which ours are none of; of `Deno.addSignalListener()` Deno tells nothing. */
function processListeners(signal: string): number {
  const { process } = globalThis as unknown as {
    readonly process?: { listenerCount(event: string): number };
  };
  return process?.listenerCount(signal) ?? 0;
}
