import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  writeFile,
} from "node:fs/promises";
import { request } from "node:http";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { toPage } from "../../src/command/page.ts";
import type { Story } from "../../src/command/story.ts";
import { StoryReader } from "../../src/command/story_lines.ts";
import { test } from "../_harness.ts";
import { run, type Running, start, told } from "./_program.ts";

const TRANSCRIPTS = new URL("../fixtures/transcripts/", import.meta.url);
const CHROMIUM = ["chromium", "chromium-browser", "google-chrome"]
  .find((name) => spawnSync(name, ["--version"]).status === 0);
const needsChromium = CHROMIUM === undefined ? "needs Chromium" : undefined;

/** A run with a prompt, a subagent with a tool, a hook, a permission that waited, a failure and a result. */
const LINES: readonly object[] = [
  { t: 0, dir: "meta", event: "cassette", version: 1 },
  { t: 0, dir: "meta", event: "spawn", argv: ["-p"], cwd: "/home/u", env: [] },
  {
    t: 1,
    dir: "in",
    msg: { type: "user", message: { role: "user", content: "Delegate" } },
  },
  {
    t: 5,
    dir: "out",
    msg: {
      type: "system",
      subtype: "init",
      model: "m-1",
      claude_code_version: "2.1.328",
      session_id: "s-1",
      cwd: "/home/u",
    },
  },
  assistant(
    10,
    {
      type: "tool_use",
      id: "t1",
      name: "Agent",
      input: { description: "Do it" },
    },
    null,
    100,
  ),
  assistant(
    20,
    { type: "tool_use", id: "t2", name: "Bash", input: { command: "ls" } },
    "t1",
    40,
  ),
  {
    t: 21,
    dir: "out",
    msg: {
      type: "control_request",
      request_id: "r0",
      request: {
        subtype: "hook_callback",
        tool_use_id: "t2",
        input: { hook_event_name: "PreToolUse", tool_name: "Bash" },
      },
    },
  },
  {
    t: 22,
    dir: "in",
    msg: {
      type: "control_response",
      response: { subtype: "success", request_id: "r0", response: {} },
    },
  },
  {
    t: 30,
    dir: "out",
    msg: {
      type: "control_request",
      request_id: "r1",
      request: {
        subtype: "can_use_tool",
        tool_name: "Bash",
        tool_use_id: "t2",
        input: { command: "ls" },
      },
    },
  },
  {
    t: 4030,
    dir: "in",
    msg: {
      type: "control_response",
      response: {
        subtype: "success",
        request_id: "r1",
        response: { behavior: "deny", message: "no" },
      },
    },
  },
  {
    t: 4040,
    dir: "out",
    msg: {
      type: "user",
      parent_tool_use_id: "t1",
      message: {
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: "t2",
          is_error: true,
          content: "no",
        }],
      },
    },
  },
  {
    t: 4100,
    dir: "out",
    msg: {
      type: "user",
      parent_tool_use_id: null,
      message: {
        role: "user",
        content: [{
          type: "tool_result",
          tool_use_id: "t1",
          content: [{ type: "text", text: "could not" }],
        }],
      },
    },
  },
  assistant(4200, { type: "text", text: "It was denied." }, null, 180),
  {
    t: 4210,
    dir: "out",
    msg: {
      type: "result",
      subtype: "success",
      is_error: false,
      result: "It was denied.",
      duration_ms: 4209,
      num_turns: 2,
      total_cost_usd: 0.25,
      usage: {
        input_tokens: 280,
        cache_read_input_tokens: 20,
        output_tokens: 33,
      },
    },
  },
  {
    t: 5000,
    dir: "in",
    msg: {
      type: "user",
      message: { role: "user", content: [{ type: "text", text: "Again" }] },
    },
  },
  {
    t: 5100,
    dir: "out",
    msg: {
      type: "result",
      subtype: "success",
      is_error: true,
      result: "Overloaded",
      duration_ms: 100,
      num_turns: 1,
      total_cost_usd: 0.3,
      usage: { input_tokens: 1, output_tokens: 2 },
    },
  },
  { t: 5200, dir: "meta", event: "exit", code: 1, signal: null },
];

function assistant(
  t: number,
  block: object,
  parent: string | null,
  tokens: number,
): object {
  return {
    t,
    dir: "out",
    msg: {
      type: "assistant",
      parent_tool_use_id: parent,
      message: {
        id: `m${t}`,
        model: "m-1",
        content: [block],
        usage: { input_tokens: tokens, output_tokens: 1 },
      },
    },
  };
}

function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

function storyOf(text: string): Story {
  const reader = new StoryReader("run.jsonl");
  for (const line of text.split("\n")) reader.add(line);
  return reader.end();
}

async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-inspect-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

test("A story has turns with their cost, tools under their subagent, and how long somebody waited", () => {
  const { context, head, steps, turns } = storyOf(textOf(LINES));
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
      usd: turns[1]?.usd,
      read: 1,
      written: 2,
      isError: true,
    },
  ]);
  assert.ok(Math.abs((turns[1]?.usd ?? 0) - 0.05) < 1e-9);
  const find = (kind: string) => steps.filter((step) => step.kind === kind);
  const [agent, bash] = find("tool");
  assert.deepEqual([agent?.title, agent?.ms], ["Agent: Do it", 4090]);
  assert.deepEqual([bash?.title, bash?.ms, bash?.parent, bash?.isError], [
    "Bash: ls",
    4020,
    agent?.id,
    true,
  ]);
  const [permission] = find("permission");
  assert.deepEqual(
    [permission?.title, permission?.ms, permission?.parent],
    ["Bash?: denied", 4000, agent?.id],
  );
  const [hook] = find("hook");
  assert.deepEqual([hook?.title, hook?.parent], [
    "PreToolUse of Bash",
    agent?.id,
  ]);
  // What a subagent reads is not in the context of the conversation.
  assert.deepEqual(context.map(([, tokens]) => tokens), [100, 180]);
  assert.deepEqual([
    head.model,
    head.version,
    head.sessionId,
    head.usd,
    head.warnings,
  ], ["m-1", "2.1.328", "s-1", 0.3, []]);
});

test("A hook that overtook its call stands beside it, and what a task says stands under the call that began it", () => {
  const agent = LINES.slice(0, 5);
  const [bash, hook] = LINES.slice(5, 7);
  const told = {
    t: 25,
    dir: "out",
    msg: {
      type: "system",
      subtype: "task_notification",
      tool_use_id: "t1",
      summary: "did it",
    },
  };
  const { steps } = storyOf(textOf([...agent, hook, bash, told] as object[]));
  const parents = Object.fromEntries(
    steps.map(({ parent, title }) => [title, parent]),
  );
  const call = steps.find(({ title }) => title === "Agent: Do it")?.id;
  assert.equal(parents["Bash: ls"], call);
  assert.equal(parents["PreToolUse of Bash"], call);
  assert.equal(parents["task_notification: did it"], call);
});

test("The title of a call is its tool and what tells most of it, the notebook of NotebookEdit too", () => {
  const [meta] = LINES;
  const call = assistant(
    1,
    {
      type: "tool_use",
      id: "t1",
      name: "NotebookEdit",
      input: { new_source: "1", notebook_path: "/w/a.ipynb" },
    },
    null,
    1,
  );
  const { steps } = storyOf(textOf([meta as object, call]));
  assert.equal(steps[0]?.title, "NotebookEdit: /w/a.ipynb");
});

test("A session of the CLI is a story as well", () => {
  const at = (s: number) =>
    new Date(1_700_000_000_000 + s * 1000).toISOString();
  const entry = (fields: object) => ({
    sessionId: "s-2",
    version: "2.1.328",
    cwd: "/w",
    ...fields,
  });
  const { head, steps, turns } = storyOf(textOf([
    { type: "queue-operation", timestamp: at(0), sessionId: "s-2" },
    entry({
      type: "user",
      timestamp: at(1),
      message: { role: "user", content: "Count" },
    }),
    entry({
      type: "assistant",
      timestamp: at(2),
      message: {
        id: "a",
        model: "m-2",
        content: [{
          type: "tool_use",
          id: "t",
          name: "Bash",
          input: { command: "ls" },
        }],
        usage: { input_tokens: 7 },
      },
    }),
    entry({
      type: "user",
      timestamp: at(5),
      message: {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "t", content: "a" }],
      },
    }),
    entry({
      type: "assistant",
      timestamp: at(6),
      message: {
        id: "b",
        model: "m-2",
        content: [{ type: "text", text: "One" }],
      },
    }),
    entry({
      type: "user",
      timestamp: at(9),
      message: { role: "user", content: "Thanks" },
    }),
    entry({ type: "some-new-kind" }),
  ]));
  assert.deepEqual([head.form, head.model, head.sessionId, head.startedAt], [
    "session",
    "m-2",
    "s-2",
    1_700_000_000_000,
  ]);
  assert.deepEqual(turns.map(({ prompt }) => prompt), ["Count", "Thanks"]);
  assert.deepEqual(steps.map(({ kind }) => kind), [
    "prompt",
    "tool",
    "text",
    "prompt",
  ]);
  assert.deepEqual([steps[1]?.ms, steps[1]?.answer], [3000, "a"]);
});

test("A prompt that came in mid-turn is a step of that turn", async () => {
  const sessions = new URL("../fixtures/sessions/", import.meta.url);
  const folder = new URL("queued/", sessions);
  const [file = ""] = await readdir(folder);
  const reader = new StoryReader(file);
  const text = await readFile(new URL(file, folder), "utf8");
  for (const line of text.split("\n")) reader.add(line);
  const { turns, steps } = reader.end();
  assert.deepEqual(turns.map(({ prompt }) => prompt), ["Wait"]);
  assert.deepEqual(
    steps.filter(({ kind }) => kind === "prompt" || kind === "text")
      .map(({ turn, title }) => [turn, title]),
    [[1, "Wait"], [1, "And this"], [1, "Both done."]],
  );
});

test("A subagent of a session stands under the call that began it, from the file of its own", async () => {
  await withFolder(async (folder) => {
    const line = (fields: object) => ({ sessionId: "s", ...fields });
    const beside = join(folder, "s", "subagents");
    await mkdir(beside, { recursive: true });
    const call = { type: "tool_use", id: "t1", name: "Agent", input: {} };
    const result = { type: "tool_result", tool_use_id: "t1", content: "ok" };
    await writeFile(
      join(folder, "s.jsonl"),
      textOf([
        line({ type: "user", message: { content: "Delegate" } }),
        line({
          type: "assistant",
          message: { id: "a", content: [call], usage: { input_tokens: 9 } },
        }),
        line({
          type: "user",
          message: { content: [result] },
          toolUseResult: { agentId: "x1" },
        }),
      ]),
    );
    const side = { isSidechain: true, agentId: "x1" };
    await writeFile(
      join(beside, "agent-x1.jsonl"),
      textOf([
        line({ ...side, type: "user", message: { content: "Subtask" } }),
        line({
          ...side,
          type: "assistant",
          message: {
            id: "b",
            content: [{ type: "text", text: "Did it" }],
            usage: { input_tokens: 5 },
          },
        }),
      ]),
    );
    const { code, stdout } = await run([
      "inspect",
      join(folder, "s.jsonl"),
      "--json",
    ]);
    assert.equal(code, 0);
    const { context, steps, turns } = JSON.parse(stdout);
    assert.deepEqual(turns, [
      { number: 1, prompt: "Delegate", read: 9, written: 0 },
    ]);
    assert.equal(context.length, 1);
    assert.deepEqual(
      steps.map((
        { kind, parent, title, turn }: Record<string, unknown>,
      ) => [kind, title, turn, parent]),
      [
        ["prompt", "Delegate", 1, undefined],
        ["tool", "Agent", 1, undefined],
        ["prompt", "Subtask", 1, 1],
        ["text", "Did it", 1, 1],
      ],
    );
  });
});

test(
  "A page shows no key or token of a session, wherever it stands",
  async () => {
    await withFolder(async (folder) => {
      const keys = [
        ...["sk-ant-api03-abcdefgh4711", `ghp_${"a1".repeat(18)}`],
        ...[`npm_${"b2".repeat(18)}`, "AKIAABCDEFGHIJKLMNOP"],
        "-----BEGIN PRIVATE KEY-----\nabc4711\n-----END PRIVATE KEY-----",
      ];
      const said = `first\n${keys.join("\n")}\nlast`;
      const uuid = "u";
      const entry = (type: string, content: unknown) => ({
        ...{ type, uuid, sessionId: "s", timestamp: "2026-09-01T10:00:00Z" },
        message: { role: type, content },
      });
      const input = { command: said, deep: [{ key: said }] };
      const path = join(folder, "s.jsonl");
      await writeFile(
        path,
        textOf([
          entry("user", said),
          entry("assistant", [
            { type: "thinking", thinking: said },
            { type: "text", text: keys[0] },
            { type: "tool_use", id: "t1", name: "Bash", input },
          ]),
          entry("user", [{
            type: "tool_result",
            tool_use_id: "t1",
            content: said,
          }]),
        ]),
      );
      const pages = [
        await told(["inspect", path, "--output", "-"]),
        await told(["inspect", path, "--json"]),
      ];
      for (const { stdout } of pages) {
        assert.match(stdout, /first.*\[redacted\].*last/);
        assert.doesNotMatch(stdout, /4711|a1a1|b2b2|AKIA/);
      }
    });
  },
  { ids: ["E-07"] },
);

test("Every recorded run can be shown", async () => {
  const names = (await readdir(TRANSCRIPTS)).filter((one) =>
    one.endsWith(".ndjson")
  );
  assert.ok(names.length > 10);
  for (const name of names) {
    const story = storyOf(await readFile(new URL(name, TRANSCRIPTS), "utf8"));
    assert.ok(story.steps.length > 0, name);
    assert.ok((await toPage(story)).html.includes("</html>"));
  }
});

test("A cassette that breaks off at any byte is shown as far as it goes, or refused in plain words", () => {
  const text = textOf(LINES.slice(0, 9));
  for (let length = 0; length < text.length; length++) {
    try {
      const { head } = storyOf(text.slice(0, length));
      assert.ok(head.form === "cassette");
    } catch (error) {
      assert.match(String(error), /run\.jsonl is (empty|neither)/);
    }
  }
  const cut = storyOf(text.slice(0, -20));
  assert.match(cut.head.warnings.join(), /breaks off in its last line/);
});

test("A cassette of a newer version, and a file that is none, are refused with a word about it", async () => {
  await withFolder(async (folder) => {
    const cases: readonly [text: string, said: RegExp][] = [
      [
        '{"dir":"meta","event":"cassette","version":99}\n',
        /version.*99.*update this package/,
      ],
      ["", /is empty/],
      ["hello\nworld\n", /neither a recording nor a session/],
      ["[1]\n", /neither/],
    ];
    const path = join(folder, "x.jsonl");
    for (const [text, said] of cases) {
      await writeFile(path, text);
      const { code, stderr, stdout } = await told(["inspect", path]);
      assert.deepEqual([code, stdout], [1, ""]);
      assert.match(stderr, said);
    }
    const { code, stderr } = await told(["inspect", join(folder, "missing")]);
    assert.equal(code, 2);
    assert.match(stderr, /Cannot read .*missing/);
  });
});

const HOSTILE =
  `</script><script>document.title="BROKEN"</script><img src=x onerror="document.title='BROKEN'"><!--<svg/onload=document.title='BROKEN'>\u2028"'&`;

/** The same run with hostile words wherever there are any. */
function hostile(): string {
  const soil = (value: unknown, key = ""): unknown => {
    const isKept = [
      "type",
      "subtype",
      "dir",
      "event",
      "id",
      "request_id",
      "tool_use_id",
      "parent_tool_use_id",
      "role",
      "behavior",
    ].includes(key);
    if (typeof value === "string") return isKept ? value : HOSTILE + value;
    if (Array.isArray(value)) return value.map((one) => soil(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, soil(one, name)]),
    );
  };
  return textOf(LINES.map((line) => soil(line) as object));
}

test("Nothing that a recording says is markup, and the policy lets nothing run but the page's own script", async () => {
  const reader = new StoryReader(HOSTILE);
  for (const line of hostile().split("\n")) reader.add(line);
  const { html, policy } = await toPage(reader.end());
  assert.equal(html.match(/<script/g)?.length, 2);
  assert.equal(html.match(/<\/script/g)?.length, 2);
  assert.doesNotMatch(html, /<img|<svg\/|<!--/);
  assert.ok(html.includes(`content="${policy}"`));
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

/** What a page that drives another one, in a frame, has found out. */
async function drive(
  folder: string,
  page: string,
  hash: string,
  steps: string,
  { isReady = 'dataset.ready === "yes"', width = 400 } = {},
): Promise<string> {
  const driver = join(folder, "driver.html");
  const address = `${pathToFileURL(page).href}${hash}`;
  await writeFile(
    driver,
    `<!doctype html><title>driver</title><iframe src="${address}" width="${width}" height="900"></iframe><pre id="found"></pre><script>
const frame = document.querySelector("iframe");
const wait = setInterval(() => {
  const page = frame.contentDocument;
  if (!page || !(page.documentElement.${isReady})) return;
  clearInterval(wait);
  const shown = () => [...page.querySelectorAll(".step")].filter((one) => !one.closest("[hidden]")).length;
  const press = (key) => (page.activeElement || page.body).dispatchEvent(new frame.contentWindow.KeyboardEvent("keydown", { key, bubbles: true }));
  const found = {};
  try {
${steps}
  } catch (error) {
    found.error = String(error);
  }
  document.querySelector("#found").textContent = "FOUND:" + JSON.stringify(found) + ":END";
}, 20);
</script>`,
  );
  const { stdout } = spawnSync(CHROMIUM ?? "", [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-web-security",
    "--allow-file-access-from-files",
    `--user-data-dir=${join(folder, "profile")}`,
    "--virtual-time-budget=10000",
    "--dump-dom",
    pathToFileURL(driver).href,
  ], { encoding: "utf8", timeout: 150_000 });
  const found = /FOUND:(.*?):END</s.exec(
    stdout.slice(stdout.indexOf('id="found"')),
  )?.[1];
  assert.ok(found, stdout.slice(0, 2_000));
  assert.doesNotMatch(found, /"error"/);
  return found.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll(
    "&amp;",
    "&",
  );
}

test(
  "In a browser the page searches, filters, follows a link, moves by keys, and runs nothing of the recording",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      await writeFile(file, textOf(LINES));
      const { code, stdout } = await run(["inspect", file]);
      assert.deepEqual([code, stdout], [0, `${file}.html\n`]);
      const { steps } = storyOf(textOf(LINES));
      const bash = steps.find(({ title }) => title === "Bash: ls")?.id;
      const found = JSON.parse(
        await drive(
          folder,
          `${file}.html`,
          `#s${bash}`,
          `
  found.all = shown();
  const linked = page.querySelector("#s${bash}").parentElement;
  found.linked = linked.open && linked.querySelector("pre").textContent;
  found.focus = page.activeElement.id;
  press("k");
  found.moved = page.activeElement.id;
  const input = page.querySelector("input");
  input.value = "denied";
  input.dispatchEvent(new frame.contentWindow.Event("input"));
  found.searched = shown();
  input.value = "";
  input.dispatchEvent(new frame.contentWindow.Event("input"));
  const button = [...page.querySelectorAll("#filters button")].find((one) => one.textContent.startsWith("permission"));
  button.click();
  found.permissions = shown();
  found.pressed = [...page.querySelectorAll("#filters button")].filter((one) => one.getAttribute("aria-pressed") === "true").length;
  const ground = () => frame.contentWindow.getComputedStyle(page.body).backgroundColor;
  const before = ground();
  page.querySelector("#theme").click();
  found.themed = before !== ground();
  found.wide = page.documentElement.scrollWidth <= 400;
  found.plot = page.querySelector(".plot polyline") !== null;
  found.rows = page.querySelectorAll("tbody tr").length;`,
        ),
      );
      assert.equal(found.all, steps.length);
      assert.match(found.linked, /"command": "ls"/);
      assert.equal(found.focus, `s${bash}`);
      assert.notEqual(found.moved, found.focus);
      // The permission and the agent around it, the answer, the result.
      assert.equal(found.searched, 4);
      // The one permission inside of the agent.
      assert.equal(found.permissions, 2);
      assert.equal(found.pressed, 1);
      assert.deepEqual([found.themed, found.wide, found.plot, found.rows], [
        true,
        true,
        true,
        2,
      ]);

      const bad = join(folder, "bad.jsonl");
      await writeFile(bad, hostile());
      assert.equal((await run(["inspect", bad])).code, 0);
      const broken = JSON.parse(
        await drive(
          folder,
          `${bad}.html`,
          "",
          `
  for (const one of page.querySelectorAll("details")) one.open = true;
  found.title = page.title;
  found.images = page.querySelectorAll("img, main script").length;`,
        ),
      );
      assert.equal(broken.title, `${bad} - sluice`);
      assert.equal(broken.images, 0);
    });
  },
  { skip: needsChromium },
);

test(
  "In a browser a page of 20 000 steps makes those alone that are near the screen, and leads to all",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      const long = Array.from({ length: 20_000 }, (_, at) =>
        assistant(
          5_000 + at,
          at % 4_000 === 0
            ? { type: "tool_use", id: `c${at}`, name: "Agent", input: {} }
            : { type: "text", text: `word${at}\n${"x".repeat(200)}` },
          at % 4_000 === 0 || at % 4_000 > 2_000 ? null : `c${at - at % 4_000}`,
          at,
        ));
      const prompts = Array.from({ length: 1_000 }, (_, at) => [
        {
          t: 30_000 + at,
          dir: "in",
          msg: { type: "user", message: { role: "user", content: `P${at}` } },
        },
        {
          t: 30_000 + at,
          dir: "out",
          msg: { type: "result", subtype: "success", is_error: at === 999 },
        },
      ]).flat();
      await writeFile(
        file,
        textOf([...LINES.slice(0, 4), ...long, ...prompts]),
      );
      assert.equal((await run(["inspect", file])).code, 0);
      const found = JSON.parse(
        await drive(
          folder,
          `${file}.html`,
          "#s15000",
          `
  const inner = frame.contentWindow;
  const input = page.querySelector("input");
  const search = (text) => {
    input.value = text;
    input.dispatchEvent(new inner.Event("input"));
  };
  found.linked = page.activeElement.id;
  found.opened = page.activeElement.parentElement.open;
  found.top = Math.round(page.activeElement.getBoundingClientRect().top);
  found.elements = page.getElementsByTagName("*").length;
  found.turns = page.querySelector("#turns h2").textContent;
  found.points = page.querySelector(".plot polyline").getAttribute("points").split(" ").length;
  press("j");
  found.next = page.activeElement.id;
  press("k");
  press("k");
  found.back = page.activeElement.id;
  press("e");
  found.failure = page.activeElement.closest(".step").className;
  search("word19001");
  found.count = page.querySelector("#found").textContent;
  found.shown = [...page.querySelectorAll(".step .title")].map((one) => one.textContent.slice(0, 9));
  search("word1");
  found.all = page.querySelector("#found").textContent;
  inner.location.hash = "#s100";
  inner.dispatchEvent(new inner.Event("hashchange"));
  found.unfiltered = [input.value, page.activeElement.id, page.activeElement.closest(".step").style.getPropertyValue("--depth")];
  inner.scrollTo(0, page.documentElement.scrollHeight);
  inner.dispatchEvent(new inner.Event("scroll"));
  found.last = page.querySelector(".chunk:last-child .step:last-child .kind").textContent;
  found.elementsAtEnd = page.getElementsByTagName("*").length;`,
        ),
      );
      assert.deepEqual([found.linked, found.opened], ["s15000", true]);
      assert.ok(found.top >= 0 && found.top < 200, `${found.top}`);
      assert.ok(found.elements < 8_000, `${found.elements} elements`);
      assert.ok(found.elementsAtEnd < 10_000, `${found.elementsAtEnd}`);
      assert.equal(found.turns, "The last 500 of 1,000 turns");
      assert.ok(found.points <= 720, `${found.points}`);
      assert.deepEqual([found.next, found.back], ["s15001", "s14999"]);
      assert.equal(found.failure, "step result error");
      assert.deepEqual([found.count, found.shown], [
        "1 of 22002 steps",
        ["word19001"],
      ]);
      assert.equal(found.all, "11109 of 22002 steps");
      assert.deepEqual(found.unfiltered, ["", "s100", "1"]);
      assert.equal(found.last, "result");
    });
  },
  { skip: needsChromium },
);

test(
  "A page has nothing that axe objects to, wide and at 400 px, light and dark, with every step open",
  async () => {
    await withFolder(async (folder) => {
      const file = join(folder, "run.jsonl");
      await writeFile(file, `${textOf(LINES)}{"broken":\n`);
      assert.equal((await run(["inspect", file])).code, 0);
      const path = createRequire(import.meta.url).resolve("axe-core");
      const axe = (await readFile(path, "utf8")).replaceAll("</", "<\\/");
      const page = await readFile(`${file}.html`, "utf8");
      const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/;
      assert.match(page, policy);
      // Its policy would not let axe run.
      await writeFile(
        `${file}.html`,
        page.replace(policy, "").replace(
          "</body>",
          () =>
            `<script>${axe}</script><script>
(async () => {
  const { dataset } = document.documentElement;
  const found = {};
  for (const one of document.querySelectorAll("details")) one.open = true;
  await new Promise((done) => setTimeout(done, 50));
  for (const theme of ["light", "dark"]) {
    dataset.theme = theme;
    const { passes, violations } = await axe.run(document);
    found[theme] = {
      passes: passes.map(({ id }) => id),
      violations: violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html.slice(0, 100)).join(" | ")),
    };
  }
  dataset.axe = JSON.stringify(found);
})();
</script></body>`,
        ),
      );
      for (const width of [400, 1_000]) {
        const found = JSON.parse(
          await drive(
            folder,
            `${file}.html`,
            "",
            `Object.assign(found, JSON.parse(page.documentElement.dataset.axe));
  found.pre = page.querySelectorAll("pre").length;
  found.wide = page.documentElement.scrollWidth <= ${width};`,
            { isReady: "dataset.axe", width },
          ),
        );
        assert.ok(found.pre > 10 && found.wide, `${found.pre} ${found.wide}`);
        for (const theme of ["light", "dark"]) {
          const { passes, violations } = found[theme];
          assert.deepEqual(violations, [], `${theme}, ${width}`);
          assert.ok(passes.includes("color-contrast"), passes.join());
        }
      }
    });
  },
  { skip: needsChromium },
);

test("sluice inspect writes beside the recording, where it is told, to stdout, or as JSON, and never over the recording", async () => {
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
    const out = await run(["inspect", "run.jsonl", "-o", "-"], settings);
    assert.deepEqual([out.code, out.stdout === page], [0, true]);
    const json = await run(["inspect", "run.jsonl", "--json"], settings);
    assert.equal(JSON.parse(json.stdout).turns.length, 2);
    const over = await run(
      ["inspect", "run.jsonl", "-o", "run.jsonl"],
      settings,
    );
    assert.equal(over.code, 2);
    assert.equal(await readFile(file, "utf8"), textOf(LINES));
  });
});

test("sluice inspect --serve follows a recording for whoever has the token, and for nobody else", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(LINES.slice(0, 4)));
    const running = start(["inspect", "--serve", file], { input: null });
    try {
      await running.said("Ctrl-C ends it");
      const [address = ""] =
        /http:\/\/127\.0\.0\.1:\d+\/[-\w]+\//.exec(running.texts().stdout) ??
          [];
      const { origin, port } = new URL(address);
      for (const path of ["/", "/events", "/wrong/", "/wrong/events"]) {
        const refused = await fetch(origin + path);
        assert.equal(refused.status, 404);
        await refused.text();
      }
      const page = await fetch(address);
      assert.match(
        page.headers.get("content-security-policy") ?? "",
        /connect-src 'self'.*frame-ancestors 'none'/,
      );
      assert.match(await page.text(), /Delegate/);
      const taken = await run(["inspect", "--serve", "--port", port, file]);
      assert.equal(taken.code, 2);
      assert.match(taken.stderr, /Cannot listen on port/);

      const events = await fetch(`${address}events`);
      const reader = (events.body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let said = "";
      const until = async (text: string) => {
        while (!said.includes(text)) {
          const { done, value } = await reader.read();
          assert.equal(done, false, said);
          said += decoder.decode(value, { stream: true });
        }
      };
      await until("Delegate");
      await appendFile(file, textOf(LINES.slice(4)));
      await until("It was denied.");
      await reader.cancel();
    } finally {
      running.interrupt();
    }
    assert.equal((await running.ended).code, 130);
  });
});

test("A recording that no page could hold is shown as far as a page goes, and says so", () => {
  const reader = new StoryReader("run.jsonl");
  for (const line of textOf(LINES.slice(0, 4)).split("\n")) reader.add(line);
  const long = "x".repeat(30_000);
  const lines = [long, "y"].map((text) =>
    JSON.stringify(assistant(10, { type: "text", text }, null, 5))
  );
  for (let at = 0; at < 4_000; at++) reader.add(lines[0] ?? "");
  for (let at = 0; at < 100_000; at++) reader.add(lines[1] ?? "");
  const { head, steps } = reader.end();
  const size = steps.reduce((sum, { text = "" }) => sum + text.length, 0);
  assert.ok(steps.length <= 100_000 && size < 68_000_000, `${size}`);
  assert.match(head.warnings.join("\n"), /4\d{3} more lines are not shown/);
  assert.match(
    steps.at(3_900)?.text ?? "",
    /^x{499}…\n\(29500 more characters\)$/,
  );
});

test("A recording of 50 MB becomes a page in seconds, and a page that can be opened", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "long.jsonl");
    const big = textOf(
      Array.from({ length: 500 }, (_, at) =>
        assistant(
          at,
          { type: "text", text: "x".repeat(100_000) },
          null,
          at + 1,
        )),
    );
    await writeFile(file, textOf(LINES.slice(0, 4)) + big);
    const { code, stdout } = await run(["inspect", file, "-o", "-"]);
    assert.equal(code, 0);
    // A text is cut where nobody would read on.
    assert.ok(stdout.length < 15_000_000, `${stdout.length}`);
    assert.match(stdout, /80000 more characters/);
  });
});

test("A line that no memory could hold is left out, and told, and what stands around it is shown", async () => {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(LINES.slice(0, 4)));
    const piece = "x".repeat(10_000_000);
    for (let at = 0; at < 7; at++) await appendFile(file, piece);
    await appendFile(file, `\n${textOf(LINES.slice(4))}`);
    const { code, stdout } = await run(["inspect", file, "--json"]);
    assert.equal(code, 0);
    const { head, steps } = JSON.parse(stdout);
    assert.deepEqual(head.warnings, ["A line of 70 MB is not shown"]);
    assert.equal(steps.length, storyOf(textOf(LINES)).steps.length);
  });
});

/** A page of a recording that is followed, as a browser asks for it. */
interface Followed {
  /** Where it is, with its token. */
  readonly address: string;
  readonly running: Running;
  /** The next event that fits. */
  event(accept: (data: string) => boolean): Promise<string>;
}

/** Serves a recording, reads its events, and ends the program; its exit code has to be that of Ctrl-C. */
async function following(
  lines: readonly object[],
  use: (followed: Followed, file: string) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    await writeFile(file, textOf(lines));
    const running = start(["inspect", "--serve", file], { input: null });
    try {
      await running.said("Ctrl-C ends it");
      const [address = ""] =
        /http:\/\/127\.0\.0\.1:\d+\/[-\w]+\//.exec(running.texts().stdout) ??
          [];
      const { body } = await fetch(`${address}events`);
      const reader = (body as ReadableStream<Uint8Array>).getReader();
      const decoder = new TextDecoder();
      let said = "";
      try {
        await use({
          address,
          running,
          async event(accept) {
            for (;;) {
              const [first, ...rest] = said.split("\n\n");
              if (rest.length === 0) {
                const { done, value } = await reader.read();
                assert.equal(done, false, said);
                said += decoder.decode(value, { stream: true });
              } else {
                said = rest.join("\n\n");
                if (accept(first ?? "")) return first ?? "";
              }
            }
          },
        }, file);
      } finally {
        await reader.cancel();
      }
    } finally {
      running.interrupt();
      await running.ended;
    }
    const { code, stderr } = await running.ended;
    assert.equal(code, 130, stderr);
  });
}

/** Asks with headers that `fetch()` would not send. */
function ask(
  address: string,
  headers: Readonly<Record<string, string>>,
  method = "GET",
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const asked = request(address, { headers, method }, (answer) => {
      answer.resume();
      answer.on("end", () => resolve(answer.statusCode));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test("A page of --serve is for this machine's own name: another Host, another method or half a token gets nothing", async () => {
  await following(LINES.slice(0, 4), async ({ address }) => {
    const { host, origin, pathname, port } = new URL(address);
    for (
      const name of [
        "evil.example",
        `evil.example:${port}`,
        "127.0.0.1.evil.example",
      ]
    ) {
      assert.notEqual(await ask(address, { host: name }), 200, name);
      const events = await ask(`${address}events`, { host: name });
      assert.notEqual(events, 200, name);
    }
    assert.equal(await ask(address, { host }), 200);
    assert.equal(await ask(address, { host: `localhost:${port}` }), 200);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) {
      assert.equal(await ask(address, { host }, method), 405, method);
    }
    const token = pathname.slice(1, -1);
    for (
      const path of [
        `/${token.slice(0, -1)}/`,
        `/${token}x/`,
        `/${token.toUpperCase()}/x`,
        `/${token}/../${token.slice(1)}/`,
        `/${token}/other`,
      ]
    ) {
      assert.equal(await ask(origin + path, { host }), 404, path);
    }
    assert.equal(await ask(`${origin}//`, { host }), 400);
  });
});

test("A recording that is followed may be written anew, go away and come back", async () => {
  await following(LINES.slice(0, 4), async ({ event }, file) => {
    await event((data) => data.includes("Delegate"));
    await writeFile(file, "");
    await event((data) => data.startsWith("event: anew"));
    await writeFile(
      file,
      textOf(LINES.slice(0, 3)).replace("Delegate", "Anew"),
    );
    await event((data) => data.includes("Anew") && !data.includes("Delegate"));
    await rm(file);
    await writeFile(file, textOf(LINES.slice(0, 2)));
    await event((data) => data.startsWith("event: anew"));
    await appendFile(file, textOf(LINES.slice(2)));
    await event((data) => data.includes("It was denied."));
  });
});

test("What is followed tells its end, and that a newer version came, in the page", async () => {
  await following(LINES, async ({ event }, file) => {
    await event((data) => data.includes("The CLI ended with 1"));
    await appendFile(
      file,
      textOf([{ t: 1, dir: "meta", event: "cassette", version: 99 }]),
    );
    await event((data) => data.includes("unknown version: 99"));
  });
});

test("Browsers that leave, and one that reads nothing, hold nobody up", async () => {
  await following(LINES.slice(0, 4), async ({ address, event }, file) => {
    const { hostname, pathname, port } = new URL(address);
    // This one never reads what it is sent.
    const silent = connect(Number(port), hostname);
    silent.write(
      `GET ${pathname}events HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`,
    );
    silent.pause();
    for (let at = 0; at < 20; at++) {
      const gone = new AbortController();
      const { body } = await fetch(`${address}events`, { signal: gone.signal });
      if (at % 2 === 0) await body?.cancel();
      gone.abort();
    }
    await appendFile(file, textOf(LINES.slice(4)));
    await event((data) => data.includes("It was denied."));
    silent.destroy();
    await once(silent, "close");
  });
});

test("Nothing that is followed can break out of its events", async () => {
  await following([], async ({ address, event }, file) => {
    await appendFile(file, hostile());
    const data = await event((one) => one.includes("script"));
    assert.deepEqual(data.split("\n").length, 1);
    assert.match(data, /^data: \{/);
    const page = await (await fetch(address)).text();
    assert.equal(page.match(/<script/g)?.length, 2);
  });
});

test("--port is for --serve alone", async () => {
  const { code, stderr } = await told(["inspect", "x.jsonl", "--port", "3000"]);
  assert.equal(code, 2);
  assert.match(stderr, /^error: --port goes with --serve\n/);
});
