import type { Message } from "../protocol/messages_other.ts";
import { agUiMapping } from "./ag_ui.ts";
import type { AgUiRunIds } from "./ag_ui_run.ts";
import type { AgUiEvent } from "./ag_ui_types.ts";
import { mappedStream } from "./mapped_stream.ts";

/**
 * Maps messages to the events of one AG-UI 1.0 run.
 *
 * Shape: `RUN_STARTED`, then text, reasoning, tool calls with results and subagents, then `RUN_FINISHED` with usage
 * and cost, or `RUN_ERROR`. An error becomes `RUN_ERROR`: the stream itself never fails. For questions of an approval
 * store use `sseResponse()` with the format `"ag-ui"`.
 *
 * @param messages A conversation, or the turn of a client
 * @param ids `threadId` and `runId` of the request
 * @returns A stream without a buffer: a slow reader slows the CLI down. Cancelling it ends a conversation
 *
 * @example Stream a run
 * ```ts
 * import { query } from "@sluice/agent";
 * import { fakeCli } from "@sluice/agent/testing";
 * import { agUiEvents } from "@sluice/agent/ui";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli("Hello.");
 * const types: string[] = [];
 * const events = agUiEvents(query("Say hello.", { cliPath }), { threadId: "t1", runId: "r1" });
 * for await (const { type } of events) types.push(type);
 * assert.deepEqual(types, [
 *   "RUN_STARTED",
 *   ...["TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"],
 *   "RUN_FINISHED",
 * ]);
 * ```
 */
export function agUiEvents(
  messages: AsyncIterable<Message>,
  ids: AgUiRunIds = {},
): ReadableStream<AgUiEvent> {
  return mappedStream(messages, agUiMapping(ids));
}
