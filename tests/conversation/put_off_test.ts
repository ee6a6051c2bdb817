import assert from "node:assert/strict";
import { type JsonObject, memoryApprovals, query } from "@sluice/agent";
import { FakeClock } from "@sluice/agent/testing";
import { test } from "../_harness.ts";
import { isSettled } from "../_turn.ts";
import {
  INIT,
  isAnswerTo,
  isPrompt,
  isRequest,
  memoryCli,
  requestLine,
  responseOf,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

test("a conversation that closes keeps its input open until the turn that it put off has ended", async () => {
  const store = memoryApprovals();
  const { transport, peer } = memoryCli({}, { staysOpen: true });
  const conversation = query("Go.", {
    transport,
    clock: new FakeClock(),
    permissions: { approvals: { store } },
  });
  await conversation.ready;
  await peer.line(isPrompt);
  await peer.send(INIT, stateLine("running"));
  const watching = store.watch(new AbortController().signal)
    [Symbol.asyncIterator]();
  await peer.send(requestLine("h", {
    subtype: "hook_callback",
    callback_id: "approval_0",
    input: {
      hook_event_name: "PreToolUse",
      session_id: "s",
      tool_use_id: "t",
      tool_name: "Bash",
      tool_input: { command: "ls" },
    },
  }));
  await watching?.next();
  const closing = conversation.close();
  const answer = responseOf(await peer.line(isAnswerTo("h")));
  const said = (answer.response as JsonObject).hookSpecificOutput as JsonObject;
  assert.equal(said.permissionDecision, "defer");
  // As long as the CLI writes it down.
  await turns(5);
  assert.equal(peer.hasInputEnded, false);
  assert.equal(await isSettled(closing), false);
  await peer.send(resultLine(), stateLine("idle"));
  await peer.inputEnded();
  assert.equal(peer.lines.some(isRequest("interrupt")), false);
  peer.end();
  await closing;
});
