import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type AgentOptions, Pool, query } from "@sluice/agent";
import type { ModelTurn } from "@sluice/agent/testing";
import type { RealCli } from "../_real_cli.ts";
import { inTurns, realTest, toolResults, withRealClient } from "./_real.ts";

/** Files by what their content begins with; `~` is the home, `..` outside of the working directory. */
const FILES: Readonly<Record<string, string>> = {
  "plain.txt": "SECRET-PLAIN",
  "with blank.txt": "SECRET-BLANK",
  "folder/SECRET-LISTED.txt": "in a folder",
  "notes.ipynb": JSON.stringify({
    cells: [{
      cell_type: "code",
      source: ["SECRET-NOTEBOOK"],
      outputs: [],
      metadata: {},
    }],
    metadata: {},
    nbformat: 4,
    nbformat_minor: 4,
  }),
  "../outside/out.txt": "SECRET-OUTSIDE",
  "../home/home.txt": "SECRET-HOME",
  "command.txt": "SECRET-COMMAND",
  "argument.txt": "SECRET-ARGUMENT",
  "typed.txt": "SECRET-TYPED",
  "called.txt": "SECRET-CALLED",
  ".claude/commands/show.md": "Look at @command.txt and $ARGUMENTS",
  ".claude/skills/typed/SKILL.md":
    "---\nname: typed\ndescription: looks\n---\nLook at @typed.txt\n",
  ".claude/skills/called/SKILL.md":
    "---\nname: called\ndescription: looks\n---\nLook at @called.txt\n",
};

/** A picture of one point. */
const PICTURE =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Text in the requests when a mention is read, by the prompt that mentions it. */
const PROMPTS: readonly (readonly [prompt: string, leak: string])[] = [
  ["See @plain.txt", "SECRET-PLAIN"],
  ['See @"with blank.txt"', "SECRET-BLANK"],
  ["See @folder/", "SECRET-LISTED"],
  ["See @notes.ipynb", "SECRET-NOTEBOOK"],
  ["See @picture.png", '"type":"image"'],
  ["See @OUTSIDE/out.txt", "SECRET-OUTSIDE"],
  ["See @~/home.txt", "SECRET-HOME"],
  ["/show @argument.txt", "SECRET-COMMAND"],
  ["/show @argument.txt", "SECRET-ARGUMENT"],
  ["/typed", "SECRET-TYPED"],
  ["Use the skill", "SECRET-CALLED"],
];

const USE_SKILL: ModelTurn = { tool: "Skill", input: { skill: "called" } };
const TURNS: readonly ModelTurn[] = [
  ...PROMPTS.slice(1).map(() => "Done."),
  USE_SKILL,
  "Done.",
];

async function writeFiles({ cwd }: RealCli): Promise<void> {
  for (const [path, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(cwd, path)), { recursive: true });
    await writeFile(join(cwd, path), text);
  }
  const bytes = Uint8Array.from(atob(PICTURE), (one) => one.charCodeAt(0));
  await writeFile(join(cwd, "picture.png"), bytes);
}

/** Texts of all mentions that reached the model. */
async function leaksOf(
  real: RealCli,
  options: AgentOptions,
): Promise<readonly string[]> {
  await writeFiles(real);
  const outside = join(real.cwd, "..", "outside");
  await inTurns({ ...real.options, ...options }, async (turn) => {
    for (const [prompt] of PROMPTS) {
      await turn(prompt.replace("OUTSIDE", outside));
    }
  });
  return leaksIn(real);
}

function leaksIn({ model }: RealCli): readonly string[] {
  const sent = JSON.stringify(model.requests.map(({ body }) => body))
    .replaceAll('\\"', '"');
  return PROMPTS.map(([, leak]) => leak).filter((leak) => sent.includes(leak));
}

const deny = {
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
  },
} as const;

/** That others set the same variable is a test of `tests/options/required_hooks_test.ts`. */
const POLICIES: readonly (readonly [name: string, options: AgentOptions])[] = [
  ["allowedTools with a pattern", {
    allowedTools: ["Skill", "Read(docs/**)"],
  }],
  ["a PreToolUse hook", {
    hooks: {
      PreToolUse: [{ matcher: "Read|Grep", hooks: [() => deny] }],
    },
  }],
];

for (const [name, options] of POLICIES) {
  realTest(
    `with ${name} no mention in a prompt, a command or a skill puts a file before the model`,
    TURNS,
    async (real) => assert.deepEqual(await leaksOf(real, options), []),
    { ids: ["O-17"] },
  );
}

realTest(
  "without lists and callbacks every mention is read, as by the CLI alone",
  TURNS,
  async (real) => {
    const all = PROMPTS.map(([, leak]) => leak);
    assert.deepEqual(await leaksOf(real, {}), all);
  },
);

realTest(
  "an allow-list with all of Read leaves mentions to the CLI, and so does the variable that says so",
  ["Done.", "Done."],
  async (real) => {
    await writeFiles(real);
    await query("See @plain.txt", {
      ...real.options,
      allowedTools: ["Read"],
    }).text();
    await query("See @typed.txt", {
      ...real.options,
      env: { ...real.env, CLAUDE_CODE_DISABLE_FILE_MENTIONS: "0" },
      allowedTools: [],
    }).text();
    assert.deepEqual(leaksIn(real), ["SECRET-PLAIN", "SECRET-TYPED"]);
  },
);

realTest(
  "the model learns of a mention, and reads the file by Read if the list covers that",
  [
    { tool: "Read", input: { file_path: "plain.txt" } },
    { tool: "Read", input: { file_path: "typed.txt" } },
    "Done.",
  ],
  async (real) => {
    await writeFiles(real);
    const messages = [];
    for await (
      const message of query("See @plain.txt and @typed.txt", {
        ...real.options,
        allowedTools: ["Read(plain.txt)"],
      })
    ) messages.push(message);
    const [read, refused] = toolResults(messages);
    assert.match(read?.text ?? "", /SECRET-PLAIN/);
    assert.equal(refused?.isError, true);
    assert.deepEqual(leaksIn(real), ["SECRET-PLAIN"]);
  },
);

realTest(
  "prompts of a client and of a pool mention nothing past an allow-list, whatever is applied later",
  ["Done.", "Done.", "Done."],
  async (real) => {
    await writeFiles(real);
    const options = { ...real.options, allowedTools: [] };
    await withRealClient(real, { allowedTools: [] }, async (client) => {
      await client.sendMessage("See @plain.txt");
      for await (const _ of client.receiveResponse());
      await client.request("apply_flag_settings", {
        settings: { env: { CLAUDE_CODE_DISABLE_FILE_MENTIONS: "0" } },
      });
      await client.sendMessage("See @typed.txt");
      for await (const _ of client.receiveResponse());
    });
    const pool = new Pool({ ...options, size: 0 });
    try {
      await pool.query("See @called.txt").text();
    } finally {
      await pool.close();
    }
    assert.deepEqual(leaksIn(real), []);
  },
);

realTest(
  "NOT GUARDED: a file that CLAUDE.md imports from the project is read",
  ["Done."],
  async (real) => {
    await writeFiles(real);
    const out = join(real.cwd, "..", "outside", "out.txt");
    await writeFile(
      join(real.cwd, "CLAUDE.md"),
      `Rules. @plain.txt @${out} @~/home.txt\n`,
    );
    await query("Go", { ...real.options, allowedTools: [] }).text();
    // Those outside of the project need a person's consent at a terminal.
    assert.deepEqual(leaksIn(real), ["SECRET-PLAIN"]);
  },
);
