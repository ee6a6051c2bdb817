import { quiet } from "../async/deferred.ts";
import { optionsByHooks } from "../options/required_hooks.ts";
import type { Host } from "../ports/host.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { Use } from "./input.ts";
import { CliChannel } from "./cli_channel.ts";
import type { Open } from "./parts.ts";
import { makeServices, type Services, type Shell } from "./services.ts";

/** Called while a conversation starts. */
export interface Milestones {
  /** The CLI is about to start: it can be stopped, and errors can be reported. */
  readonly onServices: (services: Services) => void;
  /** All stages are there, and the output is read. */
  readonly onOpen: (open: Open) => void;
}

/**
 * Starts a conversation, from top to bottom.
 *
 * `initialize` and the prompt leave in one write. Where hooks or lists of tools have to hold, the prompt waits until the
 * CLI has said that it calls hooks.
 *
 * `use` is no part of the shell, which lasts longer than the conversation: a prompt may be large.
 */
export async function start(
  shell: Shell,
  host: Host,
  use: Use | undefined,
  { onServices, onOpen }: Milestones,
): Promise<SessionInfo> {
  shell.signal.throwIfAborted();

  // Services, and the places of what is closed: the CLI, then the servers.
  const made = makeServices(shell, host, new CliChannel(shell.settings, host));
  onServices(made);
  const { settings, scope, ending, cli, reporter, meter } = made;
  const { log } = reporter;
  const { options } = settings;
  const { transcripts } = options;
  // The session that is to go on is on this machine, and its copy is kept: before the CLI starts.
  const services: Services = transcripts === undefined ? made : {
    ...made,
    transcripts: await (await import("./transcripts.ts"))
      .openTranscripts(made, transcripts),
  };
  const serversSlot = scope.slot("MCP servers");
  scope.own("CLI process", () => cli.close(ending.reason ?? "closed"));

  // The CLI. It may fail while the rest is loaded, and nobody looks at it before.
  const siblings = new AbortController();
  const signal = AbortSignal.any([shell.signal, siblings.signal]);
  const opening = quiet(cli.open({ reporter, meter }, signal));
  const { optionWarnings } = await import("../options/warnings.ts");
  for (const warning of optionWarnings(settings)) log.warn(warning);

  // The rest of this package loads while the process wakes up, not before; a transport of the user's may take long.
  if (options.transport === undefined) await opening;
  const [
    { makeParts, openParts },
    { checkVersion, initialize, initializeFields, warnOfCli },
    hookCheck,
  ] = await Promise.all([
    import("./parts.ts"),
    import("./handshake.ts"),
    optionsByHooks(options).length > 0 ? import("./hook_check.ts") : undefined,
  ]);
  signal.throwIfAborted();

  // All stages, and the MCP servers beside the CLI.
  const parts = await makeParts(services);
  const connecting = parts.servers.connect(options.mcpServers ?? {}, signal);
  serversSlot.fill(() => parts.servers.close());
  const [channel, attached] = await bothOrNone(siblings, opening, connecting);
  await cli.lookVersion();
  checkVersion(parts);
  const fields = await initializeFields(parts, attached?.initializeFields);
  // Given up in between: nothing is asked any more that nobody could answer.
  signal.throwIfAborted();
  log.debug("Composed", { part: "conversation" });
  const open = openParts(parts, channel);
  onOpen(open);

  // `initialize` and the first prompt.
  const answer = initialize(open, fields);
  const confirmed = hookCheck?.confirmGuards(open);
  const say = () => use && open.input.start(use);
  if (confirmed === undefined) say();
  // All that was posted so far leaves in one write.
  open.outbox.connect(channel);
  const info = await answer;
  if (confirmed !== undefined) {
    await confirmed();
    signal.throwIfAborted();
    say();
  }
  log.info("CLI ready", {
    version: cli.version,
    pid: channel.pid,
    startMs: settings.clock.monotonic() - (meter.startedMs ?? 0),
  });
  warnOfCli(open);
  attached?.begin();
  return info;
}

/** Waits for both, if there are two; when one fails the other is given up, and the first failure surfaces. */
async function bothOrNone<A, B>(
  siblings: AbortController,
  a: Promise<A>,
  b: Promise<B> | undefined,
): Promise<[A, B | undefined]> {
  const giveUp = (reason: unknown) => siblings.abort(reason);
  a.catch(giveUp);
  b?.catch(giveUp);
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    await Promise.allSettled([a, b]);
    throw error;
  }
}
