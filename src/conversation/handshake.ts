import { settleWithin } from "../async/deadline.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { fieldsNotApplied } from "../options/initialize.ts";
import type { JsonObject } from "../types/json.ts";
import type { SessionInfo } from "../types/session_info.ts";
import { limitOf } from "./endings.ts";
import { tooSlow } from "./open_channel.ts";
import type { Composed } from "./parts.ts";

/** What `initialize` is sent with. */
export interface InitializeInit {
  /** Fields of the request. */
  readonly fields: JsonObject;
  /** What is left of the limit of the start, in milliseconds. */
  readonly timeoutMs: number;
  /** Rejects when the CLI ends before its answer. */
  readonly fault: Promise<never>;
}

/** Sends `initialize` and waits for its answer, or for the end of the CLI. */
export async function initialize(
  { requests, settings, live, context }: Composed,
  { fields, timeoutMs, fault }: InitializeInit,
): Promise<SessionInfo> {
  // Nothing takes it back: a start that is given up ends the CLI.
  const answer = requests.send("initialize", fields, { timeoutMs });
  try {
    const info = await Promise.race([answer, fault]);
    checkApplied(fields, info);
    // The published shape of the reply is taken at its word.
    return info as JsonObject as unknown as SessionInfo;
  } catch (error) {
    answer.catch(() => {});
    if (
      error instanceof CliError && error.stage === "write" &&
      error.cause !== undefined
    ) {
      // A CLI whose input broke is about to end, and its end is the story; one that is only slow lives on.
      await settleWithin(fault, limitOf("lastWords", settings), settings.clock);
      if (live.hasExited === true) {
        const limitMs = limitOf("lateOutput", settings);
        await settleWithin(fault, limitMs, settings.clock);
      }
    }
    if (error instanceof ProtocolError && error.category === "timeout") {
      throw tooSlow(settings.timeouts.connectMs, context(), error);
    }
    throw error;
  }
}

/** Refuses a CLI that did not take what it was sent: it ignores unknown fields silently. Source: protocol reference, section initialize. */
function checkApplied(sent: JsonObject, reply: JsonObject): void {
  const ignored = [...fieldsNotApplied(sent, reply)];
  // Not every CLI that calls hooks says so; one that says anything but yes guards nothing.
  if (sent.hooks !== undefined && (reply.hooks_applied ?? true) !== true) {
    ignored.push("hooks");
  }
  if (ignored.length === 0) return;
  throw new ProtocolError({
    message: `CLI did not take these fields of initialize: ${
      ignored.join(", ")
    }`,
    category: "protocol",
    subtype: "initialize",
    fatal: true,
  });
}
