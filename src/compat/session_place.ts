import type { Host } from "../ports/host.ts";
import { host as hostOf } from "../runtime/host.ts";
import {
  isSessionId,
  type LocalPlace,
  projectKey,
  projectsFolder,
} from "../transcripts/places.ts";
import type { Shelf } from "../transcripts/shelf.ts";
import type { ListSessionsOptions, SessionStore } from "./generated/types.ts";

type Opened =
  & typeof import("../transcripts/shelf.ts")
  & typeof import("../transcripts/messages.ts")
  & typeof import("../transcripts/fork.ts")
  & { readonly shelf: Shelf };

/** The place of the sessions, a store or the CLI's own files, and the functions on it. */
export async function opened(
  { dir, sessionStore, includeWorktrees }: ListSessionsOptions,
): Promise<Opened> {
  const [host, { localShelf }, shelves, messages, fork] = await Promise
    .all([
      hostOf(),
      import("../transcripts/local_shelf.ts"),
      import("../transcripts/shelf.ts"),
      import("../transcripts/messages.ts"),
      import("../transcripts/fork.ts"),
    ]);
  const shelf = sessionStore
    ? shelves.storedShelf(
      sessionStore,
      await projectKey(host, dir),
      // As in the official SDK.
      ({ sessionId, mtime }) => ({
        sessionId,
        summary: "",
        updated: new Date(mtime),
      }),
    )
    : await localShelf(host, { ...localPlace(host, dir), includeWorktrees });
  return { ...shelves, ...messages, ...fork, shelf };
}

export function localPlace(host: Host, cwd: string | undefined): LocalPlace {
  return { projects: projectsFolder(host), cwd: cwd || undefined };
}

export function checkSubkeys(store: SessionStore | undefined): void {
  if (!store || store.listSubkeys) return;
  throw new Error(
    "sessionStore.listSubkeys is not implemented: a store without it cannot list subagents",
  );
}

export function checkId(sessionId: string): void {
  if (!isSessionId(sessionId)) {
    throw new Error(`Invalid sessionId: ${sessionId}`);
  }
}

export function notFound(sessionId: string, dir?: string | null): Error {
  const where = dir === undefined
    ? ""
    : dir === null
    ? " in any project directory"
    : ` in project directory for ${dir}`;
  return new Error(`Session ${sessionId} not found${where}`);
}
