import { settleWithin } from "../async/deadline.ts";
import { toInitialize } from "../options/initialize.ts";
import { plainOutputSchema } from "../options/schema_fields.ts";
import { loadStrictCheck } from "../parse/strict.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { warnOfCli } from "./cli_warnings.ts";
import { ownParts } from "./closing.ts";
import { compose } from "./compose.ts";
import { limitOf } from "./endings.ts";
import { confirmGuards } from "./guarded_start.ts";
import { initialize } from "./handshake.ts";
import type { Opening } from "./open.ts";
import { openServers, ourServers } from "./open_servers.ts";
import type { Composed } from "./parts.ts";
import { startReading } from "./reading.ts";

/**
 * Joins all parts and connects the MCP servers; then `initialize` and the prompt leave in one write. Where hooks or
 * lists of tools have to hold, the prompt waits until the CLI has said that it calls hooks.
 */
export async function converse(opening: Opening): Promise<SessionInfo> {
  const { ground, host, servers, siblings, signal, startedMs } = opening;
  const { settings, live, log } = ground;
  signal.throwIfAborted();
  const parts = live.parts = compose(ground);
  ownParts(parts);
  if (settings.validation === "strict") live.strict = await loadStrictCheck();
  const given = settings.options.outputSchema;
  const outputSchema = given && await plainOutputSchema(given);
  const ours = ourServers(settings.options.mcpServers ?? {});
  if (Object.keys(ours).length > 0) {
    live.servers = openServers(parts, host, ours, signal);
  }
  // Those that did not open have closed themselves.
  servers.fill(() => closeServers(parts));

  const [channel, attached] = await bothOrNone(
    siblings,
    opening.channel,
    live.servers,
  );
  // Given up in between: nothing is asked any more that nobody could answer.
  signal.throwIfAborted();
  const leftMs = settings.timeouts.connectMs -
    (live.openedMs ?? startedMs) + startedMs;
  log.debug("Composed", { part: "conversation" });
  const { fault } = startReading(parts, host, channel);
  const info = initialize(parts, {
    fields: {
      ...toInitialize(settings, outputSchema),
      ...parts.hooks !== undefined && { hooks: parts.hooks },
      ...attached?.initializeFields,
    },
    timeoutMs: Math.max(leftMs, 1),
    fault,
  });
  const guarded = confirmGuards(parts, fault);
  const begin = () => parts.input.start(opening.prompt, opening.isKeptOpen);
  if (guarded === undefined) begin();
  // All that was posted so far leaves in one write.
  parts.outbox.connect(channel);
  const answered = await info;
  if (guarded !== undefined) {
    await guarded.confirmed();
    signal.throwIfAborted();
    begin();
  }
  log.info("CLI ready", {
    version: answered.claude_code_version,
    pid: channel.pid,
    startMs: settings.clock.now() - startedMs,
  });
  warnOfCli(parts, host, { channel, info: answered });
  attached?.begin();
  return answered;
}

/** Closes the MCP servers; bounded, since one may be code of the user's. */
async function closeServers({ live, settings }: Composed): Promise<void> {
  const limitMs = limitOf("servers", settings);
  const closed = live.servers?.catch(() => {}).then((all) => all?.close())
    .then(() => true);
  if (closed === undefined) return;
  if (await settleWithin(closed, limitMs, settings.clock)) return;
  throw new Error(`They did not close within ${limitMs} ms`);
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
