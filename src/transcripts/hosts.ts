import { holderIn, isGone, nameOf, ownHolder } from "../session/lock.ts";
import { TranscriptError } from "../errors/transcript.ts";
import type { Host } from "../ports/host.ts";
import { HOSTS_PART } from "./lines.ts";
import type {
  TranscriptEntry,
  TranscriptKey,
  TranscriptStore,
} from "./store.ts";

/** Type of the entries by which hosts announce that they write a session, or stopped. */
const MARK = "host";

/** Announces in the store that this host, by a unique name, writes a session, or stopped. */
export async function markHost(
  host: Host,
  store: TranscriptStore,
  session: TranscriptKey,
  { name, isOpen }: { readonly name: string; readonly isOpen: boolean },
): Promise<void> {
  const mark = {
    type: MARK,
    host: name,
    state: isOpen ? "open" : "closed",
    timestamp: new Date().toISOString(),
    ...ownHolder(host),
  };
  await store.append({ ...session, subpath: HOSTS_PART }, [mark]);
}

/**
 * The error for a session that another host marked first: of two that begin at once the second in the store gets it.
 * A host that ended without a mark counts as well, unless it was a process of this machine that is gone.
 */
export async function otherHost(
  host: Host,
  store: TranscriptStore,
  session: TranscriptKey,
  name: string,
): Promise<TranscriptError | undefined> {
  const key = { ...session, subpath: HOSTS_PART };
  const open = new Map<string, TranscriptEntry>();
  for (const mark of await store.load(key) ?? []) {
    if (mark.type !== MARK || typeof mark.host !== "string") continue;
    if (mark.host === name) break;
    if (mark.state === "open") open.set(mark.host, mark);
    else open.delete(mark.host);
  }
  for (const mark of [...open.values()].reverse()) {
    const holder = holderIn(mark);
    if (holder === undefined || isGone(host, holder)) continue;
    const { sessionId } = session;
    return new TranscriptError({
      message: `Session ${sessionId} is written by another host, ${
        nameOf(holder)
      }, since ${mark.timestamp}: end it there, or go on with "forkSession"`,
      sessionId,
      details: { holder },
    });
  }
  return undefined;
}
