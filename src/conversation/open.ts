import { withLimit } from "../async/deadline.ts";
import { settleWithin } from "../async/settle_within.ts";
import { resolvePath } from "../cli/paths.ts";
import { cliTransport } from "../cli/transport.ts";
import { isAgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { textOfError } from "../errors/text.ts";
import { toArgv } from "../options/argv.ts";
import { toEnvironment } from "../options/environment.ts";
import { toInitialize } from "../options/initialize.ts";
import type { GuardPlace } from "../options/path_pattern.ts";
import { loadStrictCheck } from "../parse/strict.ts";
import type { Host } from "../ports/host.ts";
import type { Channel, Launch, Transport } from "../ports/transport.ts";
import { host as loadHost } from "../runtime/host.ts";
import type { Prompt } from "../types/conversation.ts";
import type { JsonObject } from "../types/json.ts";
import type { McpServerConfig } from "../types/mcp.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { checkApplied } from "./applied.ts";
import { ownParts, stopProcess } from "./closing.ts";
import type { Composed } from "./compose.ts";
import { startReading } from "./reading.ts";

/** After a failed write the CLI gets so long to end, since its end says more. */
const LAST_WORDS_MS = 1_000;

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
  const { settings, scope, handlers, hooks, input, outbox, live } = parts;
  const servers = scope.slot("MCP servers");
  const cli = scope.slot("CLI process");
  ownParts(parts);
  signal.throwIfAborted();

  const host = await loadHost();
  if (settings.validation === "strict") live.strict = await loadStrictCheck();
  const siblings = new AbortController();
  const eitherSignal = AbortSignal.any([signal, siblings.signal]);
  const startedMs = settings.clock.now();
  const opening = openChannel(parts, host, eitherSignal);
  cli.fill(() => stopProcess(parts));
  const attaching = attachServers(parts, host, eitherSignal);
  servers.fill(async () => await (await attaching.catch(() => {}))?.close());

  const [channel, attached] = await bothOrNone(siblings, opening, attaching);
  const leftMs = settings.timeouts.connectMs -
    (live.openedMs ?? startedMs) + startedMs;
  if (attached !== undefined) handlers.set("mcp_message", attached.handle);
  const { fault } = startReading(parts, host, channel);
  const info = initialize(parts, {
    fields: {
      ...toInitialize(settings),
      ...hooks !== undefined && { hooks },
      ...attached?.initializeFields,
    },
    timeoutMs: Math.max(leftMs, 1),
    signal,
    fault,
  });
  input.start(prompt, isKeptOpen);
  // All that was posted so far leaves in one write.
  outbox.connect(channel);
  return await info;
}

async function openChannel(
  parts: Composed,
  host: Host,
  signal: AbortSignal,
): Promise<Channel> {
  const { settings, live, log, metrics, meter, context } = parts;
  const { clock, options, timeouts } = settings;
  const launch: Launch = {
    args: toArgv(settings, host.platform),
    env: toEnvironment(settings, host.env(), host.platform),
    cwd: resolvePath(host.cwd(), options.cwd ?? ".", host.platform),
  };
  live.place = await guardPlace(host, launch.cwd);
  const transport = options.transport ??
    cliTransport({ host, settings, log, metrics });
  meter.startedMs = clock.now();
  const channel = await withLimit(
    (limited) => live.opening = openWith(transport, launch, limited),
    {
      clock,
      ms: timeouts.connectMs,
      signal,
      onLimit: () => tooSlow(timeouts.connectMs, context()),
    },
  );
  live.channel = channel;
  live.openedMs = clock.now();
  channel.exited.then(() => {
    live.hasExited = true;
  });
  return channel;
}

/** Where patterns of paths begin; a directory that is missing is told by the start. */
async function guardPlace(host: Host, cwd: string): Promise<GuardPlace> {
  const home = host.home();
  const real = await host.files.realPath(cwd).catch(() => undefined);
  return {
    ...real !== undefined && { cwd: real },
    ...home !== undefined && { home },
  };
}

/** A transport of the user's may throw anything. */
async function openWith(
  transport: Transport,
  launch: Launch,
  signal: AbortSignal,
): Promise<Channel> {
  try {
    return await transport.open(launch, signal);
  } catch (cause) {
    if (signal.aborted || isAgentError(cause)) throw cause;
    throw new CliError({
      stage: "connect",
      message: `Transport could not be opened: ${textOfError(cause)}`,
      cause,
    });
  }
}

/** MCP servers that this package connects; nothing of MCP is loaded when there are none. */
async function attachServers(
  parts: Composed,
  host: Host,
  signal: AbortSignal,
) {
  const { settings, deadlines, report, log, metrics, requests } = parts;
  const servers = Object.fromEntries(
    Object.entries(settings.options.mcpServers ?? {}).filter(isOurs),
  );
  if (Object.keys(servers).length === 0) return undefined;
  log.debug("Composing MCP servers", { servers: Object.keys(servers) });
  const { attachServers } = await import("../mcp/attach.ts");
  return await attachServers({
    servers,
    host,
    signal,
    settings,
    deadlines,
    report,
    log,
    metrics: metrics.protocol,
    send: (server, message) => {
      // The CLI's acknowledgement says nothing, and a lost one is told by the outbox.
      requests.send("mcp_message", { server_name: server, message })
        .catch(() => {});
    },
  });
}

function isOurs([, config]: [string, McpServerConfig]): boolean {
  return config.type === "sdk" || config.via !== "cli";
}

/** Waits for both; when one fails the other is given up, and the first failure surfaces. */
async function bothOrNone<A, B>(
  siblings: AbortController,
  a: Promise<A>,
  b: Promise<B>,
): Promise<[A, B]> {
  const giveUp = (reason: unknown) => siblings.abort(reason);
  a.catch(giveUp);
  b.catch(giveUp);
  try {
    return await Promise.all([a, b]);
  } catch (error) {
    await Promise.allSettled([a, b]);
    throw error;
  }
}

interface InitializeInit {
  readonly fields: JsonObject;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Rejects when the CLI ends before its answer. */
  readonly fault: Promise<never>;
}

async function initialize(
  { requests, settings, context }: Composed,
  { fields, timeoutMs, signal, fault }: InitializeInit,
): Promise<SessionInfo> {
  const answer = requests.send("initialize", fields, { signal, timeoutMs });
  try {
    const info = await Promise.race([answer, fault]);
    checkApplied(fields, info);
    // The published shape of the reply is taken at its word.
    return info as JsonObject as unknown as SessionInfo;
  } catch (error) {
    answer.catch(() => {});
    if (error instanceof CliError && error.stage === "write") {
      // A CLI that does not read is about to end, and its end is the story.
      await settleWithin(fault, LAST_WORDS_MS, settings.clock);
    }
    if (error instanceof ProtocolError && error.category === "timeout") {
      throw tooSlow(settings.timeouts.connectMs, context(), error);
    }
    throw error;
  }
}

function tooSlow(
  connectMs: number,
  context: ReturnType<Composed["context"]>,
  cause?: unknown,
): CliError {
  return new CliError({
    stage: "connect",
    message: `CLI was not ready within ${connectMs} ms`,
    cause: cause ?? new ProtocolError({
      message: `CLI did not start within ${connectMs} ms`,
      category: "timeout",
    }),
    context,
  });
}
