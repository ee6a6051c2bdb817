import { Client } from "../../client.ts";
import { Change } from "../../async/change.ts";
import { Unsettled } from "../../async/unsettled.ts";
import { SessionNotFoundError } from "../../errors/cli.ts";
import { textOfError } from "../../errors/text.ts";
import { localTransport } from "../../local_cli.ts";
import { record } from "../../testing/record.ts";
import type { RecordedLine } from "../../testing/recording.ts";
import type { ReadText } from "../../ports/read_text.ts";
import type { Activity } from "../../types/activity.ts";
import type { AgentOptions } from "../../types/options.ts";
import type { CanUseTool } from "../../types/permissions.ts";
import type { StoryReader } from "../story_lines.ts";
import type { Story } from "../story.ts";
import type { Doing } from "./data.ts";
import { type LiveBlock, liveBlock } from "./live.ts";
import { type Questions, questions } from "./questions.ts";

/** Warnings shown at most: the newest. */
const MOST_WARNINGS = 20;

/** A session of the CLI behind pages; its CLI runs from the first prompt on. */
export interface WebSession {
  readonly id: string;
  readonly story: Story;
  readonly questions: Questions;
  readonly live: LiveBlock;
  readonly doing: Doing;
  /** Whether a turn runs, or tasks of the agent. */
  readonly isBusy: boolean;
  /** Resolves with the next change of any of these. */
  news(): Promise<void>;
  /** Starts the CLI if none runs. */
  start(): Promise<Client>;
  send(prompt: string): Promise<void>;
  interrupt(): Promise<void>;
  /** Ends the CLI, if one runs; the session can be continued. */
  stop(): Promise<void>;
  /** Ends everything. */
  close(): Promise<void>;
}

export interface WebSessionSource {
  readonly id: string;
  /** Its story so far. */
  readonly reader: StoryReader;
  /** Whether the CLI has it on its disk. */
  isStored(): Promise<boolean>;
  /** Options of the conversation, with who is asked. */
  optionsFor(canUseTool: CanUseTool): Promise<AgentOptions>;
  readonly readText: ReadText;
}

/** Makes a session; starts nothing. */
export function webSession(source: WebSessionSource): WebSession {
  const { id, reader } = source;
  const { story } = reader;
  const { head } = story;
  const live = liveBlock();
  const change = new Change();
  let activity: Pick<Activity, "queued" | "since" | "state"> = {
    state: "gone",
    since: new Date(),
    queued: 0,
  };
  let failure: string | undefined;
  let running: Promise<Client> | undefined;
  /** Clients that end. */
  const ending = new Unsettled();

  const end = (client: Client) => ending.add(client.close().catch(() => {}));
  const publish = () => change.tell();
  const asked = questions(source.readText, publish);

  async function begin(): Promise<Client> {
    failure = undefined;
    const options = await source.optionsFor(asked.canUseTool);
    const client = new Client({
      ...options,
      ...await source.isStored() ? { resume: id } : { sessionId: id },
      includePartialMessages: true,
      transport: record(options.transport ?? localTransport(options), sink()),
    });
    try {
      await client.connect();
    } catch (error) {
      await end(client);
      throw error;
    }
    void followMessages(client);
    // These end with the messages, whose error is shown.
    followActivity(client).catch(() => {});
    followWarnings(client).catch(() => {});
    return client;
  }

  /** Adds lines of a recording to the story, later than those before. */
  function sink(): (line: string) => void {
    const began = Date.now();
    const earlier = began - (head.startedAt ??= began);
    return (text) => {
      const line = JSON.parse(text) as RecordedLine;
      reader.take({ ...line, t: (line.t ?? 0) + earlier });
      publish();
    };
  }

  async function followMessages(client: Client): Promise<void> {
    try {
      for await (const message of client.receiveMessages()) {
        if (live.take(message)) publish();
      }
    } catch (error) {
      failure = textOfError(error);
    }
    if (await running?.catch(() => {}) === client) running = undefined;
    live.end();
    publish();
    await end(client);
  }

  async function followActivity(client: Client): Promise<void> {
    for await (const now of client.watch()) {
      activity = now;
      publish();
    }
  }

  async function followWarnings(client: Client): Promise<void> {
    for await (const error of client.receiveMessages().errors) {
      if (error.fatal) continue;
      head.warnings.push(textOfError(error));
      head.warnings.splice(0, head.warnings.length - MOST_WARNINGS);
      publish();
    }
  }

  function start(): Promise<Client> {
    if (running === undefined) {
      activity = { state: "starting", since: new Date(), queued: 0 };
      publish();
      running = begin();
      running.catch((error) => {
        running = undefined;
        activity = { state: "gone", since: new Date(), queued: 0 };
        failure = error instanceof SessionNotFoundError
          ? "The CLI finds no messages in this session: begin a new session"
          : textOfError(error);
        publish();
      });
    }
    return running;
  }

  async function stop(): Promise<void> {
    const client = await running?.catch(() => undefined);
    running = undefined;
    if (client !== undefined) void end(client);
    await ending.settled();
  }

  return {
    id,
    story,
    questions: asked,
    live,
    get doing() {
      const { queued, since, state } = activity;
      const ms = Date.now() - since.getTime();
      return {
        state,
        ms,
        queued,
        ...failure !== undefined && { error: failure },
      };
    },
    get isBusy() {
      return !["gone", "idle"].includes(activity.state);
    },
    news: () => change.next,
    start,
    async send(prompt) {
      await (await start()).sendMessage(prompt);
    },
    async interrupt() {
      await (await running)?.interrupt();
    },
    stop,
    async close() {
      asked.close();
      await stop();
    },
  };
}
