import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { toInitialize, unconfirmedFields } from "../options/initialize.ts";
import { plainOutputSchema } from "../options/output_schema.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { JsonObject } from "../types/json.ts";
import { tooSlow } from "./cli_channel.ts";
import type { Session, Stages } from "./running.ts";
import { readVersion } from "./version.ts";

/** Makes the fields of `initialize`. */
export async function initializeFields(
  { settings, hooks, cli }: Stages,
  ofServers: JsonObject | undefined,
): Promise<JsonObject> {
  const { outputSchema } = settings.options;
  return {
    ...toInitialize(
      settings,
      outputSchema && await plainOutputSchema(outputSchema),
      cli.version,
    ),
    ...hooks !== undefined && { hooks },
    ...ofServers,
  };
}

/** Sends `initialize`, which has the rest of the timeout of the start, and waits for its answer, or for the end of the CLI. */
export async function initialize(
  session: Session,
  fields: JsonObject,
): Promise<SessionInfo> {
  const { settings, timeouts, cli, meter, reporter } = session;
  const { engine: { requests }, ended: { promise: ended } } = session;
  const { timeouts: { connectMs } } = settings;
  const { startedMs = 0 } = meter;
  const leftMs = connectMs - (cli.openedMs ?? startedMs) + startedMs;
  // Nothing takes it back: a start that is given up ends the CLI.
  const answer = requests.send("initialize", fields, {
    timeoutMs: Math.max(leftMs, 1),
    take(reply) {
      // The version comes first: it explains rejected fields, and later checks use it.
      readVersion(session, reply);
      checkApplied(fields, reply);
    },
  });
  try {
    const info = await Promise.race([answer, ended]);
    // The published shape of the reply is taken at its word.
    return info as JsonObject as unknown as SessionInfo;
  } catch (error) {
    answer.catch(() => {});
    if (
      error instanceof CliError && error.stage === "write" &&
      error.cause !== undefined
    ) {
      // A CLI whose input broke is about to end, and its end is the story; one that is only slow lives on.
      await timeouts.withTimeout("lastWords", ended);
      if (cli.hasExited) await timeouts.withTimeout("lateOutput", ended);
    }
    if (error instanceof ProtocolError && error.category === "timeout") {
      throw tooSlow(connectMs, reporter.context(), error);
    }
    throw error;
  }
}

/** Refuses a CLI that did not take what it was sent: it ignores unknown fields silently. Source: protocol reference, section initialize. */
export function checkApplied(sent: JsonObject, reply: JsonObject): void {
  const ignored = [...unconfirmedFields(sent, reply)];
  // Not every CLI that calls hooks says so; one that says anything but yes guards nothing.
  if (sent.hooks !== undefined && (reply.hooks_applied ?? true) !== true) {
    ignored.push("hooks");
  }
  if (ignored.length === 0) return;
  const names = ignored.join(", ");
  refuse("initialize", `CLI did not take these fields of initialize: ${names}`);
}

/** Throws: with this CLI the conversation would not be what was asked for. */
export function refuse(
  subtype: string,
  message: string,
  cause?: unknown,
): never {
  const category = "protocol";
  throw new ProtocolError({ message, category, subtype, cause, fatal: true });
}
