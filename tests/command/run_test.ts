import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isRunning, needsProc, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { run, start, withStandIn } from "./_program.ts";

test(
  "sluice run of a resumed session tells the cost of the turn, and beside it that of the session",
  async () => {
    const use = (costUSD: number) => ({
      m: {
        inputTokens: 1,
        outputTokens: 1,
        cacheReadInputTokens: 0,
        cacheCreationInputTokens: 0,
        webSearchRequests: 0,
        costUSD,
        contextWindow: 1,
      },
    });
    const result = {
      total_cost_usd: 1.5,
      modelUsage: use(1.5),
      model_usage_since_last_result: use(0.25),
    };
    const script = { turns: "Going on.", result };
    await withStandIn(script, async ({ env, folder }) => {
      const id = "5a0e1a0e-52a5-4c57-9d35-0e2f6bb3a111";
      const settings = { env, cwd: folder };
      const { code, stderr } = await run(
        ["record", "r.jsonl", "--", "--resume", id, "Go on"],
        settings,
      );
      assert.equal(code, 0, stderr);
      assert.match(stderr, / · \$0\.2500 \(\$1\.5000 in the session\) · /);
      const { stdout } = await run(["inspect", "r.jsonl", "--json"], settings);
      const { head, turns } = JSON.parse(stdout);
      assert.deepEqual([turns[0].usd, head.usd], [0.25, 1.5]);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run writes the answer to stdout, and tools, time and cost to stderr",
  async () => {
    await withStandIn([[
      "First I look.",
      { tool: "Bash", input: { command: "ls -la" }, result: "a b" },
      "Two files.",
    ]], async ({ env, fake, folder }) => {
      const { code, stderr, stdout } = await run(
        ["run", "--allow", "Bash", "--model", "m1", "How many?"],
        { env, cwd: folder },
      );
      assert.equal(code, 0, stderr);
      assert.match(stdout, /^First I look\.\n+Two files\.\n$/);
      assert.match(stderr, /→ Bash ls -la\n✔ Bash \d/);
      assert.match(stderr, /\d+ turns? · .* · \$\d\.\d{4} · \d+ tokens in/);
      const [only] = fake.runs;
      assert.match(only?.args.join(" ") ?? "", /--model[= ]m1/);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run and chat say how to log in where nobody is logged in",
  async () => {
    const text = "Not logged in · Please run /login";
    const turn = [{
      message: {
        type: "assistant",
        message: {
          id: "m1",
          type: "message",
          role: "assistant",
          model: "<synthetic>",
          content: [{ type: "text", text }],
        },
        parent_tool_use_id: null,
        error: "authentication_failed",
      },
    }, { result: { subtype: "success", is_error: true, result: text } }];
    for (const command of ["run", "chat"]) {
      await withStandIn([turn], async ({ env, folder }) => {
        const { stderr, stdout } = await run([command], {
          env,
          cwd: folder,
          input: "hi\n",
        });
        assert.match(
          stderr,
          /fix: start claude and type \/login, or set ANTHROPIC_API_KEY/,
        );
        // Once, and not as an answer.
        assert.equal(`${stdout}${stderr}`.split(text).length, 2);
        assert.equal(stdout, "");
      });
    }
  },
  { skip: needsShell },
);

test(
  "sluice run fails with the reason where a hook blocks the prompt, and not where one ends a turn that had begun",
  async () => {
    const blocked = {
      message: {
        type: "system",
        subtype: "informational",
        content: "UserPromptSubmit operation blocked by hook:\n\x1b[2Jno",
        level: "warning",
        prevent_continuation: true,
        prompt_submit_outcome: { kind: "blocked_by_hook", reason: "no\x1b[2J" },
      },
    };
    const none = { result: { subtype: "success", num_turns: 0, result: "no" } };
    await withStandIn([[blocked, none]], async ({ env, folder }) => {
      const ran = await run(["run", "hi"], { env, cwd: folder });
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /^stopped by a hook: no\\u\{1b\}\[2J$/m);
      const json = await run(["run", "--json", "hi"], { env, cwd: folder });
      assert.equal(json.code, 1);
    });
    await withStandIn([["Hello.", blocked]], async ({ env, folder }) => {
      const { code } = await run(["run", "hi"], { env, cwd: folder });
      assert.equal(code, 0);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run tells an API failure that ends no turn as text",
  async () => {
    const message = {
      type: "assistant",
      message: {
        id: "m1",
        type: "message",
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "API Error: too long" }],
      },
      parent_tool_use_id: null,
      error: "max_output_tokens",
    };
    const result = { subtype: "success", is_error: false, result: "" };
    await withStandIn([[{ message }, { result }]], async ({ env, folder }) => {
      const { code, stdout } = await run(["run", "hi"], { env, cwd: folder });
      assert.deepEqual([code, stdout.trim()], [0, "API Error: too long"]);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run --json spells out what a terminal could obey",
  async () => {
    await withStandIn("a\x9b2J\x7f\x85ü", async ({ env, folder }) => {
      const { stdout } = await run(["run", "--json", "hi"], {
        env,
        cwd: folder,
      });
      assert.doesNotMatch(stdout, /[^\P{Cc}\n]/u);
      assert.match(stdout, /"result":"a\\u009b2J\\u007f\\u0085ü"/);
      const last = JSON.parse(stdout.trim().split("\n").at(-1) ?? "");
      assert.equal(last.result, "a\x9b2J\x7f\x85ü");
    });
  },
  { skip: needsShell },
);

test(
  "sluice run --json writes each message as a line, and nothing else",
  async () => {
    await withStandIn("Hello.", async ({ env, folder }) => {
      const { code, stdout } = await run(["run", "--json", "hi"], {
        env,
        cwd: folder,
      });
      assert.equal(code, 0);
      const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
      const last = lines.at(-1);
      assert.deepEqual([last.type, last.result], ["result", "Hello."]);
      assert.equal(lines.some(({ type }) => type === "assistant"), true);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run takes its prompt from the words, from stdin, or from both",
  async () => {
    await withStandIn("ok", async ({ env, fake, folder }) => {
      const cases = [
        [["run", "words"], "", "words"],
        [["run"], "from the pipe\n", "from the pipe\n"],
        [["run", "-"], "from the pipe", "from the pipe"],
        [["run", "Review this"], "diff ü", "Review this\n\ndiff ü"],
      ] as const;
      for (const [words, input, wanted] of cases) {
        const { code } = await run(words, { env, cwd: folder, input });
        assert.equal(code, 0);
        const prompts = fake.received.filter(({ type }) => type === "user");
        const { message } = prompts.at(-1) as {
          message?: { content?: unknown };
        };
        assert.deepEqual(
          typeof message?.content === "string"
            ? message.content
            : (message?.content as { text: string }[])[0]?.text,
          wanted,
        );
      }
      const { code, stderr } = await run(["run"], { env, cwd: folder });
      assert.deepEqual([code, fake.runs.length], [2, cases.length]);
      assert.match(stderr, /No prompt given/);
    });
  },
  { skip: needsShell },
);

test(
  "sluice run --schema writes what fits the schema as JSON, and refuses a schema that is none",
  async () => {
    await withStandIn({
      turns: ["Three."],
      result: { structured_output: { count: 3 } },
    }, async ({ env, folder }) => {
      const schema = {
        type: "object",
        properties: { count: { type: "number" } },
      };
      const file = join(folder, "schema.json");
      await writeFile(file, JSON.stringify(schema));
      for (const given of [JSON.stringify(schema), file]) {
        const { code, stderr, stdout } = await run(
          ["run", "--schema", given, "How many?"],
          { env, cwd: folder },
        );
        assert.deepEqual([code, stdout], [0, '{"count":3}\n'], stderr);
      }
      for (const bad of ["{", "[1]", "/no/such/file.json"]) {
        const { code, stdout } = await run(["run", "--schema", bad, "hi"], {
          env,
          cwd: folder,
        });
        assert.deepEqual([code, stdout], [2, ""]);
      }
    });
  },
  { skip: needsShell },
);

test("sluice run ends with 1 when the turn failed, and says why", async () => {
  await withStandIn(
    [[{ result: { is_error: true, result: "Overloaded" } }]],
    async ({ env, folder }) => {
      const { code, stderr } = await run(["run", "hi"], { env, cwd: folder });
      assert.equal(code, 1);
      assert.match(stderr, /✖ Overloaded/);
    },
  );
  const { code, stderr, stdout } = await run(
    ["run", "--json", "--cli", "/no/such/claude", "hi"],
  );
  assert.equal(code, 1);
  assert.match(stderr, /error: Claude CLI not found.*\/no\/such\/claude/);
  assert.equal(JSON.parse(stdout).code, "cli_not_found");
}, { skip: needsShell });

test("A tool may not write to the terminal what a terminal obeys", async () => {
  await withStandIn([[
    "Look: \x1b]0;title\x07\x1b[2J done",
    { tool: "Bash", input: { command: "x\x1b[31m\u202e" }, result: "y" },
  ]], async ({ env, folder }) => {
    const { stderr, stdout } = await run(["run", "hi"], { env, cwd: folder });
    assert.doesNotMatch(stdout + stderr, new RegExp("[\x1b\x07\u202e]"));
  });
}, { skip: needsShell });

test(
  "Ctrl-C ends the turn, and the program with 130; a second one ends a CLI that does not listen",
  async () => {
    for (const onInterrupt of ["end", "ignore"] as const) {
      await withStandIn({
        turns: [["Begun.", { wait: "forever" }]],
        onInterrupt,
        ...onInterrupt === "ignore" && { onSigterm: "ignore" },
      } as never, async ({ env, fake, folder }) => {
        const running = start(["run", "hi"], { env, cwd: folder });
        await running.said("Begun.");
        running.interrupt();
        if (onInterrupt === "ignore") {
          await running.said("Ctrl-C again");
          running.interrupt();
        }
        const { code } = await running.ended;
        assert.equal(code, 130);
        const [only] = fake.runs;
        assert.equal(isRunning(only?.pid ?? 0), false);
      });
    }
  },
  { skip: needsShell ?? needsProc },
);

test(
  "sluice record writes a cassette of what run does, without secrets",
  async () => {
    await withStandIn("Recorded.", async ({ env, folder }) => {
      for (const words of [["hi"], ["run", "hi"], ["--model", "m", "hi"]]) {
        const { code, stderr, stdout } = await run(
          ["record", "--force", "run.jsonl", "--", ...words],
          { env: { ...env, API_TOKEN: "correct-horse" }, cwd: folder },
        );
        assert.deepEqual([code, stdout], [0, "Recorded.\n"], stderr);
        assert.match(stderr, /^recorded in run\.jsonl$/m);
        const text = await readFile(join(folder, "run.jsonl"), "utf8");
        const [first] = text.split("\n");
        assert.equal(JSON.parse(first ?? "").event, "cassette");
        assert.equal(text.match(/"event":"cassette"/g)?.length, 1);
        assert.match(text, /Recorded\./);
        assert.match(text, /"event":"exit"/);
        assert.doesNotMatch(text, /correct-horse/);
      }
    });
  },
  { skip: needsShell },
);

test(
  "sluice record replaces nothing unasked, and leaves no file where nothing was recorded",
  async () => {
    await withStandIn("Recorded.", async ({ env, fake, folder }) => {
      const file = join(folder, "run.jsonl");
      const settings = { env, cwd: folder };
      const failing = [
        [["--cli", "/no/such/claude", "hi"], 1],
        [["--model", "", "hi"], 2],
        [["--modle", "x", "hi"], 2],
      ] as const;
      for (const [words, wanted] of failing) {
        const { code, stderr } = await run(
          ["record", "run.jsonl", "--", ...words],
          settings,
        );
        assert.equal(code, wanted, stderr);
        assert.equal(existsSync(file), false);
        assert.doesNotMatch(stderr, /recorded in/);
      }
      await writeFile(file, "mine");
      const refused = await run(["record", "run.jsonl", "--", "hi"], settings);
      assert.equal(refused.code, 2);
      assert.match(refused.stderr, /run\.jsonl is there already: --force/);
      const failed = await run(
        ["record", "--force", "run.jsonl", "--", "--cli", "/no/claude", "hi"],
        settings,
      );
      assert.equal(failed.code, 1);
      assert.equal(await readFile(file, "utf8"), "mine");
      assert.equal(fake.runs.length, 0);
    });
  },
  { skip: needsShell },
);
