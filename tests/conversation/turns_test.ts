import assert from "node:assert/strict";
import { query } from "../../src/query.ts";
import { FakeClock } from "../../src/testing/fake_clock.ts";
import type { JsonObject } from "../../src/types/json.ts";
import type { AgentOptions } from "../../src/types/options.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import {
  isAnswerTo,
  isPrompt,
  memoryCli,
  requestLine,
  resultLine,
  stateLine,
  turns,
} from "./_rig.ts";

const ASK = {
  subtype: "can_use_tool",
  tool_name: "Bash",
  input: {},
  tool_use_id: "t",
};

/** A conversation of so many prompts, all of them written; nobody answers but the test. */
async function begin(count: number, options: AgentOptions = {}) {
  async function* prompts(): AsyncGenerator<string> {
    for (let n = 0; n < count; n++) yield `${n}`;
  }
  const clock = new FakeClock();
  const { transport, far } = memoryCli();
  const conversation = query(prompts(), {
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
    ...options,
    transport,
    clock,
  });
  const reading = collect(conversation);
  await conversation.ready;
  await far.line((line) =>
    isPrompt(line) && far.lines.filter(isPrompt).length === count
  );
  const uuids = far.lines.filter(isPrompt).map(({ uuid }) => String(uuid));
  return { clock, far, conversation, reading, uuids };
}

function lifeLine(command_uuid: string | undefined, state: string): JsonObject {
  return {
    type: "command_lifecycle",
    command_uuid: command_uuid ?? "",
    state,
    session_id: "s",
    uuid: "u",
  };
}

function answers(...uuids: readonly (string | undefined)[]): JsonObject {
  return resultLine({ user_message_uuids: uuids.map(String) });
}

test("a CLI that names prompts and tells of its own work without a name keeps stdin for the prompt that is left", async () => {
  const { far, conversation, reading, uuids } = await begin(2);
  await far.send(stateLine("running"), answers(uuids[0]));
  await far.send(resultLine({ result: "own work" }), stateLine("idle"));
  await turns(3);
  assert.equal(far.hasInputEnded, false, "the second is not answered");
  await far.send(stateLine("running"), requestLine("late", ASK));
  await far.line(isAnswerTo("late"));
  await far.send(answers(uuids[1]), stateLine("idle"));
  await far.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});

test("a result that names a later prompt keeps stdin for the one before it", async () => {
  const { far, conversation, reading, uuids } = await begin(2);
  await far.send(stateLine("running"), answers(uuids[1]), stateLine("idle"));
  await turns(3);
  assert.equal(far.hasInputEnded, false, "it only ran ahead");
  await far.send(stateLine("running"), answers(uuids[0]), stateLine("idle"));
  await far.inputEnded();
  assert.equal((await reading).error, undefined);
  await conversation.close();
});
