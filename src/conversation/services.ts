import { Deadlines } from "../async/deadline.ts";
import type { Scope } from "../async/scope.ts";
import { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { Host } from "../ports/host.ts";
import { warnOnce } from "../runtime/host.ts";
import type { Queue } from "../stream/queue.ts";
import type { Message } from "../protocol/messages_other.ts";
import type { ActivityFeed } from "./activity.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Ending } from "./ending.ts";
import type { ErrorFeed } from "./error_feed.ts";
import { makeReporter, type Reporter } from "./reporter.ts";
import type { TranscriptCopy } from "./transcripts.ts";
import type { ProcessHealth } from "../types/activity.ts";
import type { Progress } from "../callbacks/guard.ts";

/** What a conversation has from the first moment, before the rest of this package is loaded. */
export interface Shell {
  /** What the user wrote, with defaults. */
  readonly settings: Settings;
  /** Where messages wait. */
  readonly queue: Queue<Message>;
  readonly errors: ErrorFeed;
  readonly ending: Ending;
  /** Everything that is opened. */
  readonly scope: Scope;
  /** Aborted when the conversation is given up. */
  readonly signal: AbortSignal;
  /** Whether it is a client's: more may be said after the first prompt, and messages are read turn by turn. */
  readonly isKeptOpen: boolean;
  /** How far the consumer of the messages is. */
  readonly progress: Progress;
  /** Resolves when the start has succeeded or failed. */
  readonly decided: Promise<void>;
  /** How the process is doing. */
  readonly health: () => ProcessHealth;
  /** What the agent is doing. */
  readonly activity: ActivityFeed;
}

/** What every part of a conversation uses. */
export interface Services extends Shell {
  /** Logs, counts and errors. */
  readonly reporter: Reporter;
  readonly host: Host;
  readonly meter: Meter;
  readonly deadlines: Deadlines;
  /** The CLI, and the way to it. */
  readonly cli: CliChannel;
  /** The copy of the session in the user's store; absent = there is none. */
  readonly transcripts?: TranscriptCopy;
}

/** Makes what every part uses. */
export function makeServices(
  shell: Shell,
  host: Host,
  cli: CliChannel,
): Services {
  const meter = new Meter();
  const deadlines = new Deadlines(shell.settings.clock);
  // The first slot: what closes may still need a timeout.
  shell.scope.own("limits", () => deadlines.close());
  const reporter = makeReporter({ ...shell, cli, meter, warn: warnOnce });
  return { ...shell, reporter, host, meter, deadlines, cli };
}
