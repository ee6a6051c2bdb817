import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { isRunning, needsProc, needsShell } from "../_children.ts";
import { test } from "../_harness.ts";
import { failedRequest, run, testStandIn, withStandIn } from "./_program.ts";

function use(costUSD: number) {
  return {
    m: {
      inputTokens: 1,
      outputTokens: 1,
      cacheReadInputTokens: 0,
      cacheCreationInputTokens: 0,
      webSearchRequests: 0,
      costUSD,
      contextWindow: 1,
    },
  };
}

testStandIn(
  "sluice run of a resumed session shows the cost of the turn, and beside it that of the session",
  {
    turns: "Continued.",
    result: {
      total_cost_usd: 1.5,
      modelUsage: use(1.5),
      model_usage_since_last_result: use(0.25),
    },
  },
  async ({ sluice }) => {
    const id = "5a0e1a0e-52a5-4c57-9d35-0e2f6bb3a111";
    const words = ["--resume", id, "Go on"];
    const { code, stderr } = await sluice([
      "record",
      "r.jsonl",
      "--",
      ...words,
    ]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, / · \$0\.2500 \(\$1\.5000 in the session\) · /);
    const { stdout } = await sluice(["inspect", "r.jsonl", "--json"]);
    const { head, turns } = JSON.parse(stdout);
    assert.deepEqual([turns[0].usd, head.usd], [0.25, 1.5]);
  },
);

testStandIn(
  "sluice run writes the answer to stdout, and tools, time and cost to stderr",
  [[
    "First I look.",
    { tool: "Bash", input: { command: "ls -la" }, result: "a b" },
    "Two files.",
  ]],
  async ({ fake, sluice }) => {
    const words = ["--allow", "Bash", "--model", "m1", "How many?"];
    const { code, stderr, stdout } = await sluice(["run", ...words]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^First I look\.\n+Two files\.\n$/);
    assert.match(stderr, /→ Bash ls -la\n✔ Bash \d/);
    assert.match(stderr, /\d+ turns? · .* · \$\d\.\d{4} · \d+ tokens in/);
    assert.match(fake.runs[0]?.args.join(" ") ?? "", /--model[= ]m1/);
  },
);

const LOGGED_OUT = "Not logged in · Please run /login";
for (const command of ["run", "chat"]) {
  testStandIn(
    `sluice ${command} names the way to log in without a login`,
    [[failedRequest("authentication_failed", LOGGED_OUT), {
      result: { subtype: "success", is_error: true, result: LOGGED_OUT },
    }]],
    async ({ sluice }) => {
      const { stderr, stdout } = await sluice([command], "hi\n");
      assert.match(
        stderr,
        /fix: start claude and type \/login, or set ANTHROPIC_API_KEY/,
      );
      // Once, and not as an answer.
      assert.equal(`${stdout}${stderr}`.split(LOGGED_OUT).length, 2);
      assert.equal(stdout, "");
    },
  );
}

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
    await withStandIn([[blocked, none]], async ({ sluice }) => {
      const ran = await sluice(["run", "hi"]);
      assert.equal(ran.code, 1);
      assert.match(ran.stderr, /^stopped by a hook: no\\u\{1b\}\[2J$/m);
      assert.equal((await sluice(["run", "--json", "hi"])).code, 1);
    });
    await withStandIn([["Hello.", blocked]], async ({ sluice }) => {
      assert.equal((await sluice(["run", "hi"])).code, 0);
    });
  },
  { skip: needsShell },
);

testStandIn(
  "sluice run shows an API failure that ends no turn as text",
  [[failedRequest("max_output_tokens", "API Error: too long"), {
    result: { subtype: "success", is_error: false, result: "" },
  }]],
  async ({ sluice }) => {
    const { code, stdout } = await sluice(["run", "hi"]);
    assert.deepEqual([code, stdout.trim()], [0, "API Error: too long"]);
  },
);

testStandIn(
  "sluice run --json writes each message as a line, with control characters as escapes",
  "a\x9b2J\x7f\x85ü",
  async ({ sluice }) => {
    const { code, stdout } = await sluice(["run", "--json", "hi"]);
    assert.equal(code, 0);
    assert.doesNotMatch(stdout, /[^\P{Cc}\n]/u);
    assert.match(stdout, /"result":"a\\u009b2J\\u007f\\u0085ü"/);
    const lines = stdout.trim().split("\n").map((line) => JSON.parse(line));
    const { result, type } = lines.at(-1);
    assert.deepEqual([type, result], ["result", "a\x9b2J\x7f\x85ü"]);
    assert.ok(lines.some((line) => line.type === "assistant"));
  },
);

testStandIn(
  "A tool may not write to the terminal what a terminal obeys",
  [[
    "Look: \x1b]0;title\x07\x1b[2J done",
    { tool: "Bash", input: { command: "x\x1b[31m\u202e" }, result: "y" },
  ]],
  async ({ sluice }) => {
    const { stderr, stdout } = await sluice(["run", "hi"]);
    assert.doesNotMatch(stdout + stderr, new RegExp("[\x1b\x07\u202e]"));
  },
);

testStandIn(
  "sluice run takes its prompt from the words, from stdin, or from both",
  "ok",
  async ({ fake, sluice }) => {
    const cases = [
      [["run", "words"], "", "words"],
      [["run"], "from the pipe\n", "from the pipe\n"],
      [["run", "-"], "from the pipe", "from the pipe"],
      [["run", "Review this"], "diff ü", "Review this\n\ndiff ü"],
    ] as const;
    for (const [words, input, wanted] of cases) {
      assert.equal((await sluice(words, input)).code, 0);
      const prompt = fake.received.findLast(({ type }) => type === "user");
      const { content } = prompt?.["message"] as { content: unknown };
      const [block] = content as { text?: string }[];
      assert.equal(typeof content === "string" ? content : block?.text, wanted);
    }
    const { code, stderr } = await sluice(["run"]);
    assert.deepEqual([code, fake.runs.length], [2, cases.length]);
    assert.match(stderr, /No prompt given/);
  },
);

testStandIn(
  "sluice run --schema writes JSON that fits the schema, and refuses a malformed one",
  { turns: ["Three."], result: { structured_output: { count: 3 } } },
  async ({ folder, sluice }) => {
    const properties = { count: { type: "number" } };
    const schema = JSON.stringify({ type: "object", properties });
    const file = join(folder, "schema.json");
    await writeFile(file, schema);
    for (const given of [schema, file]) {
      const words = ["run", "--schema", given, "How many?"];
      const { code, stderr, stdout } = await sluice(words);
      assert.deepEqual([code, stdout], [0, '{"count":3}\n'], stderr);
    }
    for (const bad of ["{", "[1]", "/no/such/file.json"]) {
      const { code, stdout } = await sluice(["run", "--schema", bad, "hi"]);
      assert.deepEqual([code, stdout], [2, ""]);
    }
  },
);

testStandIn(
  "sluice run --mcp takes the servers of a file, and names what is wrong with it",
  "Done.",
  async ({ folder, sluice }) => {
    const file = join(folder, "servers.json");
    const rows:
      readonly (readonly [text: string, code: number, said: RegExp])[] = [
        ['{"mcpServers":{}}', 0, /1 turn/],
        ['{"servers":{}}', 2, /--mcp .*servers\.json has no "mcpServers"/],
        ['{"mcpServers":{"x":{"comand":"y"}}}', 2, /mcpServers\.x\.comand/],
        ["{", 2, /--mcp .*servers\.json is not JSON/],
      ];
    for (const [text, expected, said] of rows) {
      await writeFile(file, text);
      const { code, stderr } = await sluice(["run", "--mcp", file, "hi"]);
      assert.equal(code, expected, stderr);
      assert.match(stderr, said);
    }
    const { code } = await sluice(["run", "--mcp", "/no/such.json", "hi"]);
    assert.equal(code, 2);
  },
);

testStandIn(
  "sluice run ends with 1 and the reason when the turn failed, or no CLI is there",
  [[{ result: { is_error: true, result: "Overloaded" } }]],
  async ({ sluice }) => {
    const failed = await sluice(["run", "hi"]);
    assert.equal(failed.code, 1);
    assert.match(failed.stderr, /✖ Overloaded/);
    const { code, stderr, stdout } = await run(
      ["run", "--json", "--cli", "/no/such/claude", "hi"],
    );
    assert.equal(code, 1);
    assert.match(stderr, /error: Claude CLI not found.*\/no\/such\/claude/);
    assert.equal(JSON.parse(stdout).code, "cli_not_found");
  },
);

for (const onInterrupt of ["end", "ignore"] as const) {
  testStandIn(
    onInterrupt === "end"
      ? "Ctrl-C ends the turn, and the program with 130"
      : "A second Ctrl-C ends a CLI that does not listen",
    {
      turns: [["Begun.", { wait: "forever" }]],
      onInterrupt,
      ...onInterrupt === "ignore" && { onSigterm: "ignore" },
    } as never,
    async ({ fake, start }) => {
      const running = start(["run", "hi"]);
      await running.said("Begun.");
      running.interrupt();
      if (onInterrupt === "ignore") {
        await running.said("Ctrl-C again");
        running.interrupt();
      }
      assert.equal((await running.ended).code, 130);
      assert.equal(isRunning(fake.runs[0]?.pid ?? 0), false);
    },
    { skip: needsShell ?? needsProc },
  );
}

testStandIn(
  "sluice record writes a recording of run, without secrets, and replaces nothing without --force",
  "Recorded.",
  async ({ env, fake, folder, sluice }) => {
    const file = join(folder, "run.jsonl");
    for (const words of [["hi"], ["run", "hi"], ["--model", "m", "hi"]]) {
      const { code, stderr, stdout } = await run(
        ["record", "--force", "run.jsonl", "--", ...words],
        { env: { ...env, API_TOKEN: "correct-horse" }, cwd: folder },
      );
      assert.deepEqual([code, stdout], [0, "Recorded.\n"], stderr);
      assert.match(stderr, /^recorded in run\.jsonl$/m);
      const text = await readFile(file, "utf8");
      assert.equal(JSON.parse(text.split("\n")[0] ?? "").event, "cassette");
      assert.equal(text.match(/"event":"cassette"/g)?.length, 1);
      assert.match(text, /Recorded\.[^]*"event":"exit"/);
      assert.doesNotMatch(text, /correct-horse/);
      // Prompts and results are not for other users; Windows has no modes.
      const { mode } = await stat(file);
      if (process.platform !== "win32") assert.equal(mode & 0o777, 0o600);
    }
    const before = fake.runs.length;
    await writeFile(file, "mine");
    const refused = await sluice(["record", "run.jsonl", "--", "hi"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /run\.jsonl is there already: --force/);
    const failing = [
      [["--cli", "/no/such/claude", "hi"], 1],
      [["--model", "", "hi"], 2],
      [["--modle", "x", "hi"], 2],
    ] as const;
    for (const [words, wanted] of failing) {
      for (const name of ["new.jsonl", "run.jsonl"]) {
        const { code, stderr } = await sluice(
          ["record", "--force", name, "--", ...words],
        );
        assert.equal(code, wanted, stderr);
        assert.doesNotMatch(stderr, /recorded in/);
      }
    }
    assert.equal(existsSync(join(folder, "new.jsonl")), false);
    assert.equal(await readFile(file, "utf8"), "mine");
    assert.equal(fake.runs.length, before);
  },
);
