import { Deadlines } from "../async/deadline.ts";
import type { Progress } from "../callbacks/run_callback.ts";
import { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { Host } from "../ports/host.ts";
import { warnOnce } from "../runtime/host.ts";
import type { ProcessHealth } from "../types/activity.ts";
import type { ActivityFeed } from "./activity.ts";
import { CliChannel, type Surroundings } from "./cli_channel.ts";
import type { Life } from "./life.ts";
import type { Observation } from "./observation.ts";
import { makeReporter, type Reporter } from "./reporter.ts";
import { Timeouts } from "./timeouts.ts";

/** A conversation before its CLI is started. */
export interface Config {
  readonly settings: Settings;
  readonly surroundings: Surroundings;
  readonly life: Life;
  readonly observation: Observation;
  /** Whether it is a client's: more prompts may come, and messages are read turn by turn. */
  readonly isKeptOpen: boolean;
  /** Progress of the consumer of the messages. */
  readonly progress: Progress;
  readonly activity: ActivityFeed;
  readonly health: () => ProcessHealth;
}

/** The parts that every stage builds on, from the moment that the CLI is about to start. */
export interface Core
  extends Pick<Config, "settings" | "life" | "observation"> {
  readonly host: Host;
  readonly cli: CliChannel;
  readonly meter: Meter;
  readonly deadlines: Deadlines;
  readonly timeouts: Timeouts;
  readonly reporter: Reporter;
}

export function makeCore(
  { settings, surroundings, life, observation, health }: Config,
  host: Host,
): Core {
  const deadlines = new Deadlines(settings.clock);
  // The first slot: what closes may still need a timeout.
  life.scope.own("timeouts", () => deadlines.close());
  const timeouts = new Timeouts(settings, deadlines);
  const cli = new CliChannel(settings, host, timeouts, surroundings);
  const meter = new Meter();
  const warn = warnOnce;
  const reporter = makeReporter({ settings, life, cli, meter, health, warn });
  life.logTo(reporter);
  return {
    settings,
    life,
    observation,
    host,
    cli,
    meter,
    deadlines,
    timeouts,
    reporter,
  };
}
