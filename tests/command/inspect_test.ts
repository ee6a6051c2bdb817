import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, readdir, readFile, writeFile } from "node:fs/promises";
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

test("A call that changes a file has its change beside the rest of its input", async () => {
  const path = { file_path: "/a.txt" };
  const { steps } = await storyOf([
    ...LINES.slice(0, 4),
    ...[
      tool("e", "Edit", { ...path, old_string: "a\nb", new_string: "a\nc" }),
      tool("w", "Write", { ...path, content: "a" }),
      tool("o", "Write", { ...path, content: 1 }),
    ].map((block, at) => assistant(10 + at, block, null, at)),
  ]);
  const calls = steps.filter(({ title }) => title.endsWith(": /a.txt"))
    .map(({ change, text = "" }) => [JSON.parse(text), change]);
  assert.deepEqual(calls, [
    [path, " a\n-b\n+c"],
    [path, "+a"],
    [{ ...path, content: 1 }, undefined],
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
