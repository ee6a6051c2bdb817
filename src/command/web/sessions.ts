import { systemClock } from "../../async/system_clock.ts";
import { Unsettled } from "../../async/unsettled.ts";
import { textOfError } from "../../errors/text.ts";
import { resolvePath } from "../../process/paths.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Host } from "../../ports/host.ts";
import { host } from "../../runtime/host.ts";
import { shownFile } from "../../runtime/shown_file.ts";
import { findFile } from "../../transcripts/cli_files.ts";
import { isSessionId, projectsFolder } from "../../transcripts/places.ts";
import { listTranscripts } from "../../transcripts/transcripts.ts";
import { agentOptions } from "../agent.ts";
import { type AgentFlags, type Screen, UsageError } from "../command_line.ts";
import { RecordingReader } from "../recording_reader.ts";
import { StoryReader } from "../story_lines.ts";
import type { ListedSession } from "./data.ts";
import { type WebSession, webSession } from "./session.ts";

/** Time for which a session without a page keeps its CLI, in milliseconds. */
const LEAVE_MS = 600_000;
/** Sessions in the list. */
const MOST_LISTED = 100;

/** The sessions of one run of the command. */
export interface WebSessions {
  /** The session of a page that names none. */
  readonly current: string;
  /** A session that pages show, from now on until the returned function is called. */
  open(id: string): Promise<readonly [WebSession, leave: () => void]>;
  /** A session that a page has open. */
  get(id: string): Promise<WebSession | undefined>;
  /** Sessions of the folder, the newest first. */
  list(): Promise<readonly ListedSession[]>;
  close(): Promise<void>;
}

interface Open {
  readonly session: WebSession;
  pages: number;
  /** Aborts when a page comes back. */
  leaving: AbortController | undefined;
}

/** Sessions as the flags want them: that of --resume or --continue, or a new one first. */
export async function webSessions(
  flags: AgentFlags,
  on: Screen,
  signal: AbortSignal,
  clock: Clock = systemClock,
): Promise<WebSessions> {
  const self = await host();
  const { continue: continues, resume, ...options } = flags.options;
  const cwd = resolvePath(self.cwd(), options.cwd ?? ".", self.platform);
  const open = new Map<string, Promise<Open>>();
  const ending = new AbortController();
  /** Sessions that were left, and end. */
  const leaving = new Unsettled();
  const current = await firstSession();

  async function firstSession(): Promise<string> {
    const [newest] = continues ? await list() : [];
    if (continues && newest !== undefined) return newest.id;
    if (resume === undefined) return crypto.randomUUID();
    if (isSessionId(resume) && await fileOf(resume) !== undefined) {
      return resume;
    }
    throw new UsageError(
      `--resume ${resume}: this folder has no session with that id`,
    );
  }

  async function list(): Promise<readonly ListedSession[]> {
    const infos = await listTranscripts({ cwd, limit: MOST_LISTED });
    return infos.map(({ sessionId: id, summary, updated }) => ({
      id,
      title: summary,
      updated: updated.getTime(),
    }));
  }

  async function fileOf(id: string): Promise<string | undefined> {
    const place = { projects: projectsFolder(self), cwd };
    return (await findFile(self, place, id))?.path;
  }

  async function load(id: string): Promise<Open> {
    const session = webSession({
      id,
      reader: await storyOf(self, await fileOf(id)),
      isStored: async () => await fileOf(id) !== undefined,
      optionsFor: (canUseTool) =>
        agentOptions({ ...flags, options }, on, { canUseTool, signal }),
      readText: shownFile,
    });
    return { session, pages: 0, leaving: undefined };
  }

  /** Ends the CLI of a session that no page shows for a while, once its turn is over. */
  async function leave(id: string, one: Open): Promise<void> {
    if (--one.pages > 0) return;
    const { session } = one;
    one.leaving = new AbortController();
    const either = AbortSignal.any([one.leaving.signal, ending.signal]);
    do {
      await clock.sleep(LEAVE_MS, either);
    } while (session.isBusy);
    open.delete(id);
    await session.close();
  }

  return {
    current,
    async open(id) {
      let loading = open.get(id);
      if (loading === undefined) {
        open.set(id, loading = load(id));
        loading.catch(() => open.delete(id));
      }
      const one = await loading;
      one.leaving?.abort();
      one.pages++;
      let isOver = false;
      return [one.session, () => {
        if (isOver) return;
        isOver = true;
        // It ends early when a page comes back.
        leaving.add(leave(id, one));
      }];
    },
    get: async (id) => (await open.get(id))?.session,
    list,
    async close() {
      ending.abort();
      await leaving.settled();
      const all = await Promise.allSettled(open.values());
      await Promise.allSettled(
        all.map(async (one) =>
          one.status === "fulfilled" && await one.value.session.close()
        ),
      );
    },
  };
}

/** The story of a session so far, from its file; an empty one without, and a warning for a file that cannot be read. */
async function storyOf(
  self: Host,
  file: string | undefined,
): Promise<StoryReader> {
  const empty = new StoryReader("sluice web");
  if (file === undefined) return empty;
  const recording = new RecordingReader(self, file, file);
  try {
    await recording.readMore();
    await recording.end();
    return recording.reader;
  } catch (error) {
    empty.story.head.warnings.push(textOfError(error));
    return empty;
  }
}
