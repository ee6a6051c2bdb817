import type { Slot } from "../async/scope.ts";
import { toolGuard } from "../options/rules.ts";
import { optionWarnings } from "../options/warnings.ts";
import type { Host } from "../ports/host.ts";
import { host as loadHost } from "../runtime/host.ts";
import type { Prompt } from "../types/conversation.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { stopProcess } from "./closing.ts";
import { layGround } from "./ground.ts";
import { openChannel } from "./open_channel.ts";
import type { ComposeInit, Ground, OpenChannel } from "./parts.ts";

/** What a conversation begins with. */
export interface OpenInit {
  /** What to say first; absent = nothing yet. */
  readonly prompt: Prompt | undefined;
  /** Whether more may be said after the prompt. */
  readonly isKeptOpen: boolean;
}

/** A CLI on its way, and what else is opened beside it. */
export interface Opening extends OpenInit {
  readonly ground: Ground;
  readonly host: Host;
  /** The way to the CLI. */
  readonly channel: Promise<OpenChannel>;
  /** The place of the MCP servers: closed after the CLI. */
  readonly servers: Slot;
  /** Gives up what is opened beside something that failed. */
  readonly siblings: AbortController;
  /** Ends both. */
  readonly signal: AbortSignal;
  /** When it began, milliseconds since 1970. */
  readonly startedMs: number;
}

/** Starts the CLI, and what talks with it. */
export async function open(
  init: ComposeInit,
  { prompt, isKeptOpen }: OpenInit,
): Promise<SessionInfo> {
  init.signal.throwIfAborted();
  const ground = layGround(init);
  const { settings, scope, live, log } = ground;
  const servers = scope.slot("MCP servers");
  const cli = scope.slot("CLI process");
  if (log.isOn) {
    for (const warning of optionWarnings(settings)) log.warn(warning);
  }
  live.guard = toolGuard(settings, () => live.place ?? {});
  const host = await loadHost();
  const siblings = new AbortController();
  const signal = AbortSignal.any([init.signal, siblings.signal]);
  const startedMs = settings.clock.now();
  const channel = openChannel(ground, host, signal);
  // It may fail while the rest is loaded, and nobody looks at it before.
  channel.catch(() => {});
  cli.fill(() => stopProcess(ground));
  // The rest of this package loads while the process wakes up, not before; a transport of the user's may take long.
  if (settings.options.transport === undefined) await channel;
  const { converse } = await import("./converse.ts");
  return await converse({
    ground,
    host,
    channel,
    servers,
    siblings,
    signal,
    startedMs,
    prompt,
    isKeptOpen,
  });
}
