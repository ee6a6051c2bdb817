import { withLimit } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { Launch } from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import type { Mirror } from "./session.ts";
import { keyOfFile, projectsFolder } from "./session_files.ts";
import type { Options } from "./types_options.ts";
import type { SessionKey, SessionStoreEntry } from "./types_sessions.ts";

/** So many lines, or characters, are kept back at most before the store gets them. */
const MOST_LINES = 500;
const MOST_CHARACTERS = 1024 * 1024;
/** The store gets so long for one call, in milliseconds. */
const APPEND_MS = 60_000;
/** Waits before another try, in milliseconds. */
const RETRIES_MS = [200, 800];

/** Takes what the CLI writes to the user's store: in order, several lines at once, and once more where that fails. */
export function mirrorOf(
  options: Options,
  launch: Launch,
  host: Host,
  tell: (message: JsonObject) => void,
): Mirror {
  const store = options.sessionStore;
  const isEager = options.sessionStoreFlush === "eager";
  const projects = projectsFolder(host, launch.env);
  let waiting = new Map<string, JsonObject[]>();
  let lines = 0;
  let characters = 0;
  let flushing = Promise.resolve();

  /** What waits goes to the store, behind what is on its way. */
  function flush(): Promise<void> {
    const batch = waiting;
    waiting = new Map();
    lines = characters = 0;
    if (batch.size === 0) return flushing;
    flushing = flushing.then(async () => {
      for (const [path, entries] of batch) await send(path, entries);
    });
    return flushing;
  }

  async function send(path: string, entries: JsonObject[]): Promise<void> {
    const key = keyOfFile(path, projects);
    if (key === undefined || store === undefined) return;
    for (let tries = 0;; tries++) {
      try {
        return await withLimit(
          () => store.append(key, entries as SessionStoreEntry[]),
          {
            clock: systemClock,
            ms: APPEND_MS,
            onLimit: () => new StoreTimeout(path),
          },
        );
      } catch (error) {
        const wait = error instanceof StoreTimeout
          ? undefined
          : RETRIES_MS[tries];
        if (wait === undefined) return tell(lost(key, error));
        await systemClock.sleep(wait);
      }
    }
  }

  return {
    put(path, entries) {
      const all = waiting.get(path) ?? [];
      waiting.set(path, [...all, ...entries]);
      lines += entries.length;
      characters += JSON.stringify(entries).length;
      const isFull = lines > MOST_LINES || characters > MOST_CHARACTERS;
      if (isEager || isFull) void flush();
    },
    flush,
  };
}

/** A call of a store that takes too long is not made again: it may still arrive. */
class StoreTimeout extends Error {
  constructor(path: string) {
    super(`SessionStore.append() timed out after ${APPEND_MS}ms for ${path}`);
  }
}

function lost(key: SessionKey, error: unknown): JsonObject {
  return {
    type: "system",
    subtype: "mirror_error",
    error: textOfError(error),
    key,
    uuid: crypto.randomUUID(),
    session_id: key.sessionId,
  };
}
