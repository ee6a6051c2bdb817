import { settleWithin } from "../async/deadline.ts";
import { CliError, ProtocolError } from "../errors/cli.ts";
import { fieldsNotApplied, toInitialize } from "../options/initialize.ts";
import { plainOutputSchema } from "../options/output_schema.ts";
import type { JsonObject } from "../types/json.ts";
import type { SessionInfo } from "../protocol/session.ts";
import { tooSlow } from "./cli_channel.ts";
import { readVersion } from "./cli_version.ts";
import { limitOf } from "./endings.ts";
import type { Open, Parts } from "./parts.ts";

/** What `initialize` tells the CLI. */
export async function initializeFields(
  { settings, hooks, cli }: Parts,
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

/** Sends `initialize`, which has what is left of the limit of the start, and waits for its answer, or for the end of the CLI. */
export async function initialize(
  open: Open,
  fields: JsonObject,
): Promise<SessionInfo> {
  const { requests, settings, cli, meter, context } = open;
  const fault = open.fault.promise;
  const { clock, timeouts: { connectMs } } = settings;
  const { startedMs = 0 } = meter;
  const leftMs = connectMs - (cli.openedMs ?? startedMs) + startedMs;
  // Nothing takes it back: a start that is given up ends the CLI.
  const answer = requests.send("initialize", fields, {
    timeoutMs: Math.max(leftMs, 1),
    take(reply) {
      // How old it is comes first: it explains what was not taken, and what follows is answered by it.
      readVersion(open, reply);
      checkApplied(fields, reply);
    },
  });
  try {
    const info = await Promise.race([answer, fault]);
    // The published shape of the reply is taken at its word.
    return info as JsonObject as unknown as SessionInfo;
  } catch (error) {
    answer.catch(() => {});
    if (
      error instanceof CliError && error.stage === "write" &&
      error.cause !== undefined
    ) {
      // A CLI whose input broke is about to end, and its end is the story; one that is only slow lives on.
      await settleWithin(fault, limitOf("lastWords", settings), clock);
      if (cli.hasExited) {
        await settleWithin(fault, limitOf("lateOutput", settings), clock);
      }
    }
    if (error instanceof ProtocolError && error.category === "timeout") {
      throw tooSlow(connectMs, context(), error);
    }
    throw error;
  }
}

/** Refuses a CLI that did not take what it was sent: it ignores unknown fields silently. Source: protocol reference, section initialize. */
export function checkApplied(sent: JsonObject, reply: JsonObject): void {
  const ignored = [...fieldsNotApplied(sent, reply)];
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
