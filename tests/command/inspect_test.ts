import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { test } from "../_harness.ts";
import { run, told } from "./_program.ts";
import {
  assistant,
  hostile,
  LINES,
  out,
  storyOf,
  textOf,
  tool,
  withFolder,
} from "./_recording.ts";

const FIXTURES = new URL("../fixtures/", import.meta.url);

test("A recording has turns with their cost, tools under their subagent, and how long a permission waited", async () => {
  const { context, head, steps, turns } = await storyOf(LINES);
  const [, { usd = 0 } = {}] = turns;
  assert.deepEqual(turns, [
    {
      number: 1,
      prompt: "Delegate",
      t: 1,
      ms: 4209,
      usd: 0.25,
      read: 300,
      written: 33,
    },
    {
      number: 2,
      prompt: "Again",
      t: 5000,
      ms: 100,
      usd,
      read: 1,
      written: 2,
      isError: true,
    },
  ]);
  assert.ok(Math.abs(usd - 0.05) < 1e-9);
  const facts = steps
    .filter(({ kind }) => ["tool", "permission", "hook"].includes(kind))
    .map(({ isError, ms, parent, title }) => [title, ms, parent, isError]);
  const agent = steps.find(({ kind }) => kind === "tool")?.id;
  assert.deepEqual(facts, [
    ["Agent: Do it", 4090, undefined, undefined],
    ["Bash: ls", 4020, agent, true],
    ["PreToolUse of Bash", 1, agent, undefined],
    ["Bash?: denied", 4000, agent, undefined],
  ]);
  // The context of a subagent is not that of the conversation.
  assert.deepEqual(context.map(([, tokens]) => tokens), [100, 180]);
  const { model, sessionId, usd: total, version, warnings } = head;
  assert.deepEqual([model, version, sessionId, total, warnings], [
    "m-1",
    "2.1.328",
    "s-1",
    0.3,
    [],
  ]);
});

test("A hook that overtook its call stands beside it, and a message of a task under the call that began it", async () => {
  const [bash, hook] = LINES.slice(5, 7) as [object, object];
  const notification = out(25, {
    type: "system",
    subtype: "task_notification",
    tool_use_id: "t1",
    summary: "did it",
  });
  const { steps } = await storyOf(
    [...LINES.slice(0, 5), hook, bash, notification],
  );
  const call = steps.find(({ title }) => title === "Agent: Do it")?.id;
  for (
    const title of [
      "Bash: ls",
      "PreToolUse of Bash",
      "task_notification: did it",
    ]
  ) {
    assert.equal(steps.find((one) => one.title === title)?.parent, call, title);
  }
});

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

test("Every recorded run can be shown, one that breaks off as far as it goes", async () => {
  const folder = new URL("transcripts/", FIXTURES);
  const names = (await readdir(folder)).filter((one) =>
    one.endsWith(".ndjson")
  );
  assert.ok(names.length > 10);
  for (const name of names) {
    const story = await storyOf(await readFile(new URL(name, folder), "utf8"));
    assert.ok(story.steps.length > 0, name);
  }
  const text = textOf(LINES.slice(0, 9));
  for (let length = 0; length < text.length; length += 7) {
    try {
      const { head } = await storyOf(text.slice(0, length));
      assert.ok(head.form === "cassette");
    } catch (error) {
      assert.match(String(error), /run\.jsonl is (empty|neither)/);
    }
  }
  const { head } = await storyOf(text.slice(0, -20));
  assert.match(head.warnings.join(), /breaks off in its last line/);
});

test("A recording of a newer version, and a file of another kind, are refused with a reason", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "x.jsonl");
    for (
      const [text, reason] of [
        [
          '{"dir":"meta","event":"cassette","version":99}\n',
          /version.*99.*update this package/,
        ],
        ["", /is empty/],
        ["hello\nworld\n", /neither a recording nor a session/],
        ["[1]\n", /neither/],
      ] as const
    ) {
      await writeFile(path, text);
      const { code, stderr, stdout } = await told(["inspect", path]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, reason);
    }
    const { code, stderr } = await told(["inspect", join(folder, "missing")]);
    assert.equal(code, 2);
    assert.match(stderr, /Cannot read .*missing/);
  });
});

test("No text of a recording is markup, and the policy lets nothing run but the page's own script", async () => {
  await withFolder(async (folder) => {
    const path = join(folder, "a'&b.jsonl");
    await writeFile(path, hostile());
    const { stdout: html } = await told(["inspect", path, "-o", "-"]);
    assert.equal(html.match(/<script/g)?.length, 2);
    assert.equal(html.match(/<\/script/g)?.length, 2);
    assert.doesNotMatch(html, /<img|<svg\/|<!--/);
    assert.match(html, /<title>.*a&#39;&amp;b\.jsonl - sluice<\/title>/);
    const [, policy = ""] = /Security-Policy" content="([^"]+)"/.exec(html) ??
      [];
    assert.match(
      policy,
      /^default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'$/,
    );
    for (const name of ["script", "style"] as const) {
      const text = html.split(`<${name}>`)[1]?.split(`</${name}>`)[0] ?? "";
      const hash = createHash("sha256").update(text).digest("base64");
      assert.ok(policy.includes(`${name}-src 'sha256-${hash}'`), name);
    }
  });
});

test("sluice inspect writes beside the recording, to a named file, to stdout, or as JSON, and never over the recording", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(LINES));
    const settings = { cwd: folder };
    const other = await run(
      ["inspect", "run.jsonl", "-o", "page.html"],
      settings,
    );
    assert.deepEqual([other.code, other.stdout], [
      0,
      `${join(folder, "page.html")}\n`,
    ]);
    const page = await readFile(join(folder, "page.html"), "utf8");
    const piped = await run(["inspect", "run.jsonl", "-o", "-"], settings);
    assert.deepEqual([piped.code, piped.stdout === page], [0, true]);
    const over = await told(["inspect", file, "-o", file]);
    assert.equal(over.code, 2);
    assert.equal(await readFile(file, "utf8"), textOf(LINES));
  });
});

test("A recording that no page could hold is shown as far as a page goes, and says so", async () => {
  const [long = "", short = ""] = ["x".repeat(30_000), "y"].map((text) =>
    textOf([assistant(10, { type: "text", text }, null, 5)])
  );
  const { head, steps } = await storyOf(
    textOf(LINES.slice(0, 4)) + long.repeat(4_000) + short.repeat(100_000),
  );
  const size = steps.reduce((sum, { text = "" }) => sum + text.length, 0);
  assert.ok(steps.length <= 100_000 && size < 68_000_000, `${size}`);
  assert.match(head.warnings.join("\n"), /4\d{3} more lines are not shown/);
  assert.match(
    steps.at(3_900)?.text ?? "",
    /^x{499}…\n\(29500 more characters\)$/,
  );
});

test("A line that no memory could hold is left out with a warning, and those around it are shown", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(LINES.slice(0, 4)));
    const piece = "x".repeat(10_000_000);
    for (let at = 0; at < 7; at++) await appendFile(file, piece);
    await appendFile(file, `\n${textOf(LINES.slice(4))}`);
    const { stdout } = await told(["inspect", file, "--json"]);
    const { head, steps } = JSON.parse(stdout);
    assert.deepEqual(head.warnings, ["A line of 70 MB is not shown"]);
    assert.equal(steps.length, (await storyOf(LINES)).steps.length);
  });
});
