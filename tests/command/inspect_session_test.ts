import assert from "node:assert/strict";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "../_harness.ts";
import { told } from "./_program.ts";
import { storyOf, textOf, tool, withFolder } from "./_recording.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url);

/** An entry of a session's file, some seconds after its start. */
function entry(s: number, type: string, message: object): object {
  const timestamp = new Date(1_700_000_000_000 + s * 1000).toISOString();
  const ids = { sessionId: "s-2", version: "2.1.328", cwd: "/w" };
  return { ...ids, type, timestamp, message };
}

test("A session of the CLI is shown as well, with prompts that came in mid-turn", async () => {
  const { head, steps, turns } = await storyOf([
    entry(0, "queue-operation", {}),
    entry(1, "user", { role: "user", content: "Count" }),
    entry(2, "assistant", {
      id: "a",
      model: "m-2",
      content: [tool("t", "NotebookEdit", { notebook_path: "/w/a.ipynb" })],
      usage: { input_tokens: 7 },
    }),
    entry(5, "user", {
      content: [{ type: "tool_result", tool_use_id: "t", content: "a" }],
    }),
    entry(6, "assistant", {
      id: "b",
      model: "m-2",
      content: [{ type: "text", text: "One" }],
    }),
    entry(9, "user", { role: "user", content: "Thanks" }),
    { type: "some-new-kind" },
  ]);
  const { form, model, sessionId, startedAt } = head;
  assert.deepEqual([form, model, sessionId, startedAt], [
    "session",
    "m-2",
    "s-2",
    1_700_000_000_000,
  ]);
  assert.deepEqual(turns.map((one) => one.prompt), ["Count", "Thanks"]);
  assert.deepEqual(steps.map(({ kind, title }) => [kind, title]), [
    ["prompt", "Count"],
    ["tool", "NotebookEdit: /w/a.ipynb"],
    ["text", "One"],
    ["prompt", "Thanks"],
  ]);
  assert.deepEqual([steps[1]?.ms, steps[1]?.answer], [3000, "a"]);

  const folder = new URL("sessions/queued/", FIXTURES);
  const [file = ""] = await readdir(folder);
  const queued = await storyOf(await readFile(new URL(file, folder), "utf8"));
  assert.deepEqual(queued.turns.map((one) => one.prompt), ["Wait"]);
  assert.deepEqual(
    queued.steps.filter(({ kind }) => kind === "prompt" || kind === "text")
      .map(({ turn, title }) => [turn, title]),
    [[1, "Wait"], [1, "And this"], [1, "Both done."]],
  );
});

test("A subagent of a session stands under the call that began it, from the file of its own", async () => {
  await withFolder(async (folder) => {
    const beside = join(folder, "s", "subagents");
    await mkdir(beside, { recursive: true });
    const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
    const path = join(folder, "s.jsonl");
    await writeFile(
      path,
      textOf([
        { type: "user", message: { content: "Delegate" } },
        {
          type: "assistant",
          message: {
            id: "a",
            content: [tool("t1", "Agent", {})],
            usage: { input_tokens: 9 },
          },
        },
        {
          type: "user",
          message: { content: [result] },
          toolUseResult: { agentId: "x1" },
        },
      ]),
    );
    const side = { isSidechain: true, agentId: "x1" };
    const content = [{ type: "text", text: "Did it" }];
    const usage = { input_tokens: 5 };
    await writeFile(
      join(beside, "agent-x1.jsonl"),
      textOf([
        { ...side, type: "user", message: { content: "Subtask" } },
        { ...side, type: "assistant", message: { id: "b", content, usage } },
      ]),
    );
    const { stdout } = await told(["inspect", path, "--json"]);
    const { context, steps, turns } = JSON.parse(stdout);
    assert.deepEqual(turns, [
      { number: 1, prompt: "Delegate", read: 9, written: 0 },
    ]);
    assert.equal(context.length, 1);
    assert.deepEqual(
      steps.map(({ kind, parent, title }: Record<string, unknown>) => [
        ...[kind, title],
        ...parent === undefined ? [] : [parent],
      ]),
      [
        ["prompt", "Delegate"],
        ["tool", "Agent"],
        ["prompt", "Subtask", 1],
        ["text", "Did it", 1],
      ],
    );
  });
});

test(
  "A page shows no key or token of a session, wherever it stands",
  async () => {
    const keys = [
      ...["sk-ant-api03-abcdefgh4711", `ghp_${"a1".repeat(18)}`],
      ...[`npm_${"b2".repeat(18)}`, "AKIAABCDEFGHIJKLMNOP"],
      "-----BEGIN PRIVATE KEY-----\nabc4711\n-----END PRIVATE KEY-----",
    ];
    const said = `first\n${keys.join("\n")}\nlast`;
    const input = { command: said, deep: [{ key: said }] };
    await withFolder(async (folder) => {
      const path = join(folder, "s.jsonl");
      await writeFile(
        path,
        textOf([
          entry(0, "user", { role: "user", content: said }),
          entry(1, "assistant", {
            content: [
              { type: "thinking", thinking: said },
              { type: "text", text: keys[0] },
              tool("t1", "Bash", input),
            ],
          }),
          entry(2, "user", {
            content: [{
              type: "tool_result",
              tool_use_id: "t1",
              content: said,
            }],
          }),
        ]),
      );
      for (const form of [["--output", "-"], ["--json"]]) {
        const { stdout } = await told(["inspect", path, ...form]);
        assert.match(stdout, /first.*\[redacted\].*last/);
        assert.doesNotMatch(stdout, /4711|a1a1|b2b2|AKIA/);
      }
    });
  },
  { ids: ["E-07"] },
);
