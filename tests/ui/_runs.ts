import assert from "node:assert/strict";
import type { Approval, JsonObject, Message } from "@sluice/agent";
import { approvalId } from "@sluice/agent/extend";
import { Parser } from "../../src/parse/parser.ts";
import { recordedMessages } from "../parse/_transcripts.ts";

/** The messages of every recorded run, as a conversation yields them. */
export async function recordedRuns(): Promise<
  ReadonlyMap<string, readonly Message[]>
> {
  const runs = await recordedMessages();
  return new Map(
    [...runs].map(([name, objects]) => {
      const parser = new Parser({ report: (error) => assert.fail(error) });
      return [name, parser.push(objects)];
    }),
  );
}

/** A run, as an async iterable that may end in an error. */
export async function* played(
  messages: readonly Message[],
  error?: unknown,
): AsyncGenerator<Message> {
  yield* messages;
  if (error !== undefined) throw error;
}

/** A question about the first tool call of a run, asked and answered; undefined without a call. */
export async function questionOf(
  messages: readonly Message[],
  decision: Approval["decision"],
): Promise<
  { readonly asked: Approval; readonly answered: Approval } | undefined
> {
  for (const message of messages) {
    if (message.type !== "assistant") continue;
    for (const block of message.message.content) {
      if (block.type !== "tool_use") continue;
      const call = {
        sessionId: message.session_id,
        toolUseId: block.id,
        tool: block.name,
        input: block.input as JsonObject,
      };
      const request = {
        id: await approvalId(call),
        ...call,
        askedAt: "2026-01-31T12:00:00.000Z",
      };
      const asked = { request };
      return {
        asked,
        answered: { request, ...decision !== undefined && { decision } },
      };
    }
  }
  return undefined;
}
