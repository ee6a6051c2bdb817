import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, query } from "@sluice/agent";
import { resultText } from "../_clients.ts";
import { ALLOW, realTest, withRealClient } from "./_real.ts";

realTest(
  "sessionId names a session; resume continues under the same id, forkSession under a new one, continue takes the newest, persistSession false leaves none behind",
  [
    "One.",
    "Two.",
    "Three.",
    "Four.",
    "Five.",
  ],
  async ({ options, model }) => {
    const id = "11111111-2222-4333-8444-555555555555";
    const named = query("first", { ...options, sessionId: id });
    assert.equal((await named.result()).session_id, id);
    assert.equal(named.sessionId, id);

    const client = new Client({ ...options, resume: id });
    await client.connect();
    assert.equal(resultText(await client.ask("second")), "Two.");
    assert.equal(client.sessionId, id);
    await client.close();

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
    assert.ok(texts[1]?.includes("first") && texts[1].includes("One."));
    assert.ok(texts[2]?.includes("Two."));
    assert.ok(texts[3]?.includes("third"));

    const { session_id: lost } = await query("fifth", {
      ...options,
      persistSession: false,
    }).result();
    const gone = query("sixth", { ...options, resume: lost });
    await assert.rejects(gone.text());
    await gone.close();
  },
);

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
