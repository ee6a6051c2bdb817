import { systemClock } from "../async/system_clock.ts";
import { show, textOfError } from "../errors/text.ts";
import { NotPendingError } from "../errors/base.ts";
import { codeOf, placeFile, writeText } from "../session/files.ts";
import { warnProcess } from "../runtime/host.ts";
import { type Folder, folderAt, readIfThere } from "./folder.ts";
import {
  type Approval,
  approvalId,
  type ApprovalRequest,
  type ApprovalStore,
  byAge,
  readAsked,
  readDecision,
} from "./store.ts";

/** Suffixes of a request, its decision, and the mark that the decision was used. */
const ASKED = ".asked.json";
const ANSWERED = ".answered.json";
const TAKEN = ".taken.json";

/** Interval at which a watcher reads the folder, in milliseconds. */
const LOOK_MS = 250;

/** A store that is a folder: a file for each request, one for its decision, one that says that it was taken. */
export function directoryStore(
  directory: string | URL,
): Required<ApprovalStore> {
  const open = folderAt(directory);
  /** Names that were warned of. */
  const told = new Set<string>();

  async function find(id: string): Promise<Approval | undefined> {
    return isId(id) ? await findIn(await open(), id) : undefined;
  }

  /** The requests in a folder, and whether each is decided. */
  async function answered(
    { files, folder }: Folder,
  ): Promise<ReadonlyMap<string, boolean>> {
    const names = new Set(await files.list(folder));
    const ids = [...names].filter((name) => name.endsWith(ASKED))
      .map((name) => name.slice(0, -ASKED.length)).filter(isId);
    return new Map(ids.map((id) => [id, names.has(`${id}${ANSWERED}`)]));
  }

  /** The same of one request, which may not be there. */
  async function isAnswered(
    { files, at }: Folder,
    id: string,
  ): Promise<ReadonlyMap<string, boolean>> {
    if (!isId(id)) return new Map();
    const isThere = async (suffix: string) =>
      await files.status(at(id, suffix)) !== undefined;
    return new Map(
      await isThere(ASKED) ? [[id, await isThere(ANSWERED)]] : [],
    );
  }

  /** Warns once of a request that cannot be read, so that the others still can. Errors of the system are not caught. */
  function tell(error: unknown): undefined {
    if (codeOf(error) !== undefined) throw error;
    const text = textOfError(error);
    if (!told.has(text)) warnProcess(text, "SLUICE_APPROVAL");
    told.add(text);
    return undefined;
  }

  /** Writes what is not there yet; `false` when it is. */
  async function place(
    id: string,
    suffix: string,
    content: object,
  ): Promise<boolean> {
    const { files, folder, at } = await open();
    try {
      await placeFile(files, at(id, suffix), {
        by: "link",
        async write(file) {
          await writeText(
            file,
            `${JSON.stringify(content)}\n`,
          );
          await file.syncData();
        },
      });
    } catch (error) {
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
    await files.syncDirectory(folder);
    return true;
  }

  return {
    async park(request) {
      await checkId(request);
      await place(request.id, ASKED, request);
    },
    async answer(id, decision) {
      if (await find(id) === undefined) {
        throw new NotPendingError(id, "unknown");
      }
      return await place(id, ANSWERED, {
        decision: readDecision(decision),
        answeredAt: new Date().toISOString(),
      });
    },
    get: find,
    async list() {
      const found: Approval[] = [];
      const folder = await open();
      for (const id of (await answered(folder)).keys()) {
        const approval = await findIn(folder, id).catch(tell);
        if (approval !== undefined) found.push(approval);
      }
      return byAge(found);
    },
    async take(id) {
      const isAnswered = (await find(id))?.decision !== undefined;
      return isAnswered && await place(id, TAKEN, {});
    },
    async *watch(signal, id) {
      let known: ReadonlyMap<string, boolean> | undefined;
      while (!signal.aborted) {
        const folder = await open();
        const now =
          await (id === undefined ? answered(folder) : isAnswered(folder, id));
        const news: Approval[] = [];
        for (const [one, hasAnswer] of now) {
          // Earlier decisions are no news.
          const isNew = known === undefined
            ? !hasAnswer
            : known.get(one) !== hasAnswer;
          const found = isNew
            ? await findIn(folder, one).catch(tell)
            : undefined;
          if (found !== undefined) news.push(found);
        }
        known = now;
        for (const one of byAge(news)) {
          if (signal.aborted) return;
          yield one;
        }
        await systemClock.sleep(LOOK_MS, signal).catch(() => {});
      }
    },
    async delete(id) {
      if (!isId(id)) return;
      const { files, at } = await open();
      // The decision first: what a crash leaves allows nothing when the same call is parked again.
      for (const suffix of [ANSWERED, ASKED, TAKEN]) {
        await files.remove(at(id, suffix));
      }
    },
  };
}

/** One request of a folder, with its decision. */
async function findIn(
  { files, at }: Folder,
  id: string,
): Promise<Approval | undefined> {
  const request = await readIfThere(files, at(id, ASKED));
  if (request === undefined) return undefined;
  const answer = await readIfThere(files, at(id, ANSWERED));
  const isTaken = await files.status(at(id, TAKEN)) !== undefined;
  const asked = { request, ...isTaken && { isTaken } };
  const found = await readFrom(at(id, ASKED), () => readAsked(asked, id));
  if (answer === undefined) return found;
  // A file without a decision is malformed.
  const { decision = null, answeredAt } = answer;
  const all = { ...asked, decision, answeredAt };
  return await readFrom(at(id, ANSWERED), () => readAsked(all, id));
}

/** Reads what was in a file, and names the file in the error. */
async function readFrom<T>(path: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    throw new Error(
      `Approval in ${show(path)} cannot be read, remove it: ${
        textOfError(error)
      }`,
      { cause: error },
    );
  }
}

/** Whether an id may name a file. */
function isId(id: string): boolean {
  return /^[a-z0-9_-]{1,128}$/.test(id);
}

/** Refuses a request that would not be shown. */
async function checkId(request: ApprovalRequest): Promise<void> {
  const { id } = request;
  if (id === await approvalId(request)) return;
  throw new TypeError(
    `Field "id" of a request must be made of its session, tool call, tool, input and working directory: ${
      show(id)
    }`,
  );
}
