import type { ApprovalDesk } from "../callbacks/run_callback.ts";
import type { AgentError } from "../errors/base.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { ResultSuccess } from "../protocol/messages_turn.ts";

/** A call that the CLI deferred, as a result names it. */
export type DeferredToolUse = NonNullable<ResultSuccess["deferred_tool_use"]>;

/** Denies a deferred call that a prompt dropped, unless it was decided before, and reports it. */
export async function dropCall(
  desk: ApprovalDesk,
  { id, name }: DeferredToolUse,
  report: (error: AgentError) => void,
): Promise<void> {
  let cause: unknown;
  try {
    if (!await desk.drop(id)) return;
  } catch (error) {
    cause = error;
  }
  report(
    new ProtocolError({
      message:
        `A prompt dropped the deferred call ${id} of ${name}, and no decision about it has an effect. After a deferral, close the conversation and resume it`,
      category: "protocol",
      details: { tool: name, toolUseId: id },
      cause,
    }),
  );
}
