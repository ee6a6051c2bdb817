import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "../../src/client.ts";
import { query } from "../../src/query.ts";
import { resultText } from "../_clients.ts";
import { ALLOW, realTest, withRealClient } from "./_real.ts";

realTest(
  "resume goes on under the same id, forkSession under a new one, continue takes the newest",
  [
    "One.",
    "Two.",
    "Three.",
    "Four.",
  ],
  async ({ options, model }) => {
    const first = await query("first", options).result();
    const { session_id: id } = first;
    const resumed = await query("second", { ...options, resume: id }).result();
    assert.equal(resumed.session_id, id);
    const forked = await query("third", {
      ...options,
      resume: id,
      forkSession: true,
    }).result();
    assert.notEqual(forked.session_id, id);
    const newest = await query("fourth", { ...options, continue: true })
      .result();
    assert.equal(newest.session_id, forked.session_id);
    const texts = model.requests.map(({ body }) =>
      JSON.stringify(body["messages"])
    );
    assert.ok(texts[1]?.includes("One."));
    assert.ok(texts[2]?.includes("Two."));
    assert.ok(texts[3]?.includes("third"));
  },
  { timeoutMs: 30_000 },
);

realTest("sessionId names a session, persistSession false leaves none behind", [
  "One.",
  "Two.",
], async ({ options }) => {
  const sessionId = "11111111-2222-4333-8444-555555555555";
  const named = query("first", { ...options, sessionId });
  assert.equal((await named.result()).session_id, sessionId);
  assert.equal(named.sessionId, sessionId);
  const { session_id: id } = await query("second", {
    ...options,
    persistSession: false,
  }).result();
  const gone = query("third", { ...options, resume: id });
  await assert.rejects(gone.text());
  await gone.close();
});

realTest("a client resumes as well, and knows what was said", [
  "One.",
  "Two.",
], async (real) => {
  let id = "";
  await withRealClient(real, {}, async (client) => {
    id = (await client.ask("first")).session_id ?? "";
  });
  const client = new Client({ ...real.options, resume: id });
  await client.connect();
  const result = await client.ask("second");
  assert.equal(resultText(result), "Two.");
  assert.equal(client.sessionId, id);
  const text = JSON.stringify(real.model.requests[1]?.body["messages"]);
  assert.ok(text.includes("first") && text.includes("One."));
  await client.close();
});

realTest("rewindFiles() puts files back as they were at a prompt", [
  { tool: "Read", input: { file_path: "note.txt" } },
  {
    tool: "Edit",
    input: { file_path: "note.txt", old_string: "before", new_string: "after" },
  },
  "Edited.",
], async (real) => {
  const path = join(real.cwd, "note.txt");
  const uuid = "11111111-2222-4333-8444-555555555555";
  writeFileSync(path, "before\n");
  const more = { ...ALLOW, enableFileCheckpointing: true };
  await withRealClient(real, more, async (client) => {
    await client.ask({
      type: "user",
      uuid,
      message: { role: "user", content: "Edit it" },
    });
    assert.equal(readFileSync(path, "utf8"), "after\n");
    const told = await client.rewindFiles(uuid, { dryRun: true });
    assert.equal(told.canRewind, true);
    assert.deepEqual(told.filesChanged, [path]);
    assert.equal(readFileSync(path, "utf8"), "after\n");
    assert.equal((await client.rewindFiles(uuid)).canRewind, true);
    assert.equal(readFileSync(path, "utf8"), "before\n");
  });
});
