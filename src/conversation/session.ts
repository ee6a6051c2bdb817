import { quiet } from "../async/deferred.ts";
import { lateMode, optionsByHooks } from "../options/required_hooks.ts";
import { lazy } from "../options/table.ts";
import { modeWarning, optionWarnings } from "../options/warnings.ts";
import type { Host } from "../ports/host.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { type Config, type Core, makeCore } from "./core.ts";
import type { InitialPrompt } from "./input.ts";
import type { Session } from "./running.ts";

/** Called while a session starts. */
export interface Milestones {
  /** The CLI is about to start: it can be stopped, and errors can be reported. */
  readonly onCore: (core: Core) => void;
  /** All stages are there, and the output is read. */
  readonly onSession: (session: Session) => void;
}

/**
 * Starts a session, from top to bottom.
 *
 * `initialize` and the prompt leave in one write. Where hooks or lists of tools have to hold, the prompt waits until the
 * CLI has confirmed that it calls hooks.
 */
export async function run(
  config: Config,
  host: Host,
  prompt: InitialPrompt | undefined,
  { onCore, onSession }: Milestones,
): Promise<SessionInfo> {
  const { settings, life } = config;
  const { options } = settings;
  life.signal.throwIfAborted();

  // The core, and the places of what is closed: the CLI, then the servers.
  const core = makeCore(config, host);
  onCore(core);
  const { cli, meter, reporter } = core;
  const { log } = reporter;
  // A session that continues is on this machine, and its copy is kept: before the CLI starts.
  const transcripts = options.transcripts &&
    await (await import("./transcripts.ts"))
      .openTranscripts(core, options.transcripts);
  const serversSlot = life.scope.slot("MCP servers");
  life.scope.own("CLI process", () => cli.close(life.reason ?? "closed"));

  // The CLI. It may fail while the rest is loaded.
  const { signal } = life;
  const opening = quiet(cli.open({ reporter, meter }, signal));
  for (const warning of optionWarnings(settings)) log.warn(warning);

  // The rest of this package loads while the process wakes up, not before; a custom transport may take long.
  if (options.transport === undefined) await opening;
  const [
    { makeStages, openSession },
    { initialize, initializeFields },
    { checkVersion, warnOfCli },
  ] = await loadStages();
  const hookCheck = optionsByHooks(options).length > 0
    ? await import("./hook_check.ts")
    : undefined;
  signal.throwIfAborted();

  // All stages, and the MCP servers beside the CLI.
  const stages = await makeStages(core, { ...config, transcripts });
  const connecting = stages.servers.connect(options.mcpServers ?? {}, signal);
  serversSlot.fill(() => stages.servers.close());
  // When one fails, the end of the start gives up the other.
  const [channel, attached] = await Promise.all([opening, connecting]);
  await cli.lookVersion();
  checkVersion(core);
  const fields = await initializeFields(stages, attached?.initializeFields);
  // Given up in between: no request is sent any more.
  signal.throwIfAborted();
  log.debug("Composed", { part: "conversation" });
  const session = openSession(stages, channel);
  onSession(session);

  // `initialize` and the first prompt.
  const answer = initialize(session, fields);
  const confirmed = hookCheck?.confirmHooks(session);
  const say = () => prompt && session.input.start(prompt);
  if (confirmed === undefined) say();
  // All that was posted so far leaves in one write.
  stages.engine.connect(channel);
  const info = await answer;
  const warning = modeWarning(options, info.current_permission_mode);
  if (warning !== undefined) log.warn(warning);
  if (confirmed !== undefined) {
    await confirmed();
    const mode = lateMode(options);
    if (mode !== undefined) {
      await stages.engine.requests.send("set_permission_mode", { mode });
    }
    signal.throwIfAborted();
    say();
  }
  log.info("CLI ready", {
    version: cli.version,
    pid: channel.pid,
    startMs: settings.clock.monotonic() - (meter.startedMs ?? 0),
  });
  warnOfCli(core);
  attached?.begin();
  return info;
}

/** Once for all conversations: asking the runtime again for what is loaded takes it a while. */
const loadStages = lazy(() =>
  Promise.all([
    import("./stages.ts"),
    import("./handshake.ts"),
    import("./version.ts"),
  ])
);
