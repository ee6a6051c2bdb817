import { toInitialize } from "../options/initialize.ts";
import { toolGuard } from "../options/rules.ts";
import { optionWarnings } from "../options/warnings.ts";
import { loadStrictCheck } from "../parse/strict.ts";
import { host as loadHost } from "../runtime/host.ts";
import type { Prompt } from "../types/conversation.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { ownParts, stopProcess } from "./closing.ts";
import { initialize } from "./handshake.ts";
import { openChannel } from "./open_channel.ts";
import { openServers, ourServers } from "./open_servers.ts";
import type { Composed } from "./parts.ts";
import { startReading } from "./reading.ts";

/** What is opened for. */
export interface OpenInit {
  /** What to say first; absent = nothing yet. */
  readonly prompt: Prompt | undefined;
  /** Whether more may be said after the prompt. */
  readonly isKeptOpen: boolean;
  /** Gives the start up. */
  readonly signal: AbortSignal;
}

/** Opens the CLI and the MCP servers at the same time; then `initialize` and the prompt leave in one write. */
export async function open(
  parts: Composed,
  { prompt, isKeptOpen, signal }: OpenInit,
): Promise<SessionInfo> {
  const { settings, scope, hooks, input, outbox, live, log } = parts;
  const servers = scope.slot("MCP servers");
  const cli = scope.slot("CLI process");
  ownParts(parts);
  signal.throwIfAborted();

  if (log.isOn) {
    for (const warning of optionWarnings(settings)) log.warn(warning);
  }
  live.guard = toolGuard(settings, () => live.place ?? {});
  const host = await loadHost();
  if (settings.validation === "strict") live.strict = await loadStrictCheck();
  const siblings = new AbortController();
  const eitherSignal = AbortSignal.any([signal, siblings.signal]);
  const startedMs = settings.clock.now();
  const opening = openChannel(parts, host, eitherSignal);
  cli.fill(() => stopProcess(parts));
  const ours = ourServers(settings.options.mcpServers ?? {});
  if (Object.keys(ours).length > 0) {
    live.servers = openServers(parts, host, ours, eitherSignal);
  }
  // Those that did not open have closed themselves.
  servers.fill(async () =>
    await (await live.servers?.catch(() => {}))?.close()
  );

  const [channel, attached] = await bothOrNone(siblings, opening, live.servers);
  // Given up in between: nothing is asked any more that nobody could answer.
  signal.throwIfAborted();
  const leftMs = settings.timeouts.connectMs -
    (live.openedMs ?? startedMs) + startedMs;
  log.debug("Composed", { part: "conversation" });
  const { fault } = startReading(parts, host, channel);
  const info = initialize(parts, {
    fields: {
      ...toInitialize(settings),
      ...hooks !== undefined && { hooks },
      ...attached?.initializeFields,
    },
    timeoutMs: Math.max(leftMs, 1),
    fault,
  });
  input.start(prompt, isKeptOpen);
  // All that was posted so far leaves in one write.
  outbox.connect(channel);
  const answered = await info;
  log.info("CLI ready", {
    version: answered.claude_code_version,
    pid: channel.pid,
    startMs: settings.clock.now() - startedMs,
  });
  attached?.begin();
  return answered;
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
