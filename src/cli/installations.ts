import type { Host } from "../ports/host.ts";
import type { Candidate } from "./candidates.ts";
import { examine, type Examined } from "./examine.ts";
import {
  candidatesOf,
  prepareSearch,
  type Search,
  type SearchOptions,
} from "./search.ts";

/** A candidate with what was seen at its path. */
export interface Try extends Examined {
  readonly candidate: Candidate;
}

/** Looks at every candidate; starts nothing. */
export async function allTries(
  host: Host,
  search: Search,
  signal?: AbortSignal,
): Promise<Try[]> {
  const tries: Try[] = [];
  for await (const candidate of candidatesOf(host, search)) {
    signal?.throwIfAborted();
    const examined = await examine(host, search.place, candidate);
    tries.push({ candidate, ...examined });
  }
  return tries;
}

/** The paths of all installations that could be started, in the order of the search; rejects with the signal's reason. */
export async function installedPaths(
  host: Host,
  options: SearchOptions,
  signal: AbortSignal,
): Promise<string[]> {
  const search = await prepareSearch(host, options);
  // Whoever names one means it.
  if (search.named !== undefined) return [];
  const groups = await byInstallation(
    host,
    await allTries(host, search, signal),
  );
  return groups.flatMap(([first]) => first ? [first.one.candidate.path] : []);
}

export function severalClis(all: readonly string[]): string {
  return `Several CLIs were found, the first one is used: ${all.join(", ")}`;
}

/** A program, and the file it leads to. */
interface Located {
  readonly one: Try;
  /** The file, links followed. */
  readonly real: string;
}

/** Programs by installation: those of one `node_modules`, and links from elsewhere to one of them. */
export async function byInstallation(
  host: Host,
  tries: readonly Try[],
): Promise<Located[][]> {
  const groups: Located[][] = [];
  const known = new Map<string, Located[]>();
  for (const one of tries) {
    if (one.program === undefined) continue;
    const { installation, path } = one.candidate;
    const real = await host.files.realPath(one.program.cliPath)
      .catch(() => path);
    let group = known.get(real) ?? known.get(installation ?? real);
    if (group === undefined) groups.push(group = []);
    group.push({ one, real });
    known.set(real, group);
    known.set(installation ?? real, group);
  }
  return groups;
}
