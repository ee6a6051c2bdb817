import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import { keyOfFile, type Mirror, mirrorInto } from "../transcripts/mirror.ts";
import type { JsonObject } from "../types/json.ts";
import type { Options } from "./types_options.ts";
import type { SessionKey, SessionStore } from "./types_sessions.ts";

/** The store gets so long for one call, in milliseconds. */
const APPEND_MS = 60_000;
/** Waits before another try, in milliseconds. */
const RETRIES_MS = [200, 800];

/** Copies what the CLI writes into the user's store; what that refuses three times is dropped, and told. */
export function mirrorOf(
  store: SessionStore,
  { sessionStoreFlush }: Options,
  tell: (message: JsonObject) => void,
): Mirror {
  return mirrorInto({
    store,
    clock: systemClock,
    isEager: sessionStoreFlush === "eager",
    appendMs: APPEND_MS,
    onLimit: ({ sessionId }) =>
      new StoreTimeout(
        `SessionStore.append() timed out after ${APPEND_MS}ms for ${sessionId}`,
      ),
    onRefused({ key, error, tries }) {
      // A call that takes too long is not made again: it may still arrive.
      const waitMs = error instanceof StoreTimeout
        ? undefined
        : RETRIES_MS[tries];
      if (waitMs === undefined) tell(lost(key, error));
      return waitMs;
    },
    keyOf: keyOfFile,
  });
}

class StoreTimeout extends Error {}

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
