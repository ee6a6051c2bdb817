import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { denoCache } from "../_children.ts";
import { run } from "../command/_program.ts";
import type { RealCli } from "../_real_cli.ts";
import { realTest } from "./_real.ts";

interface Told {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly fix?: string;
}

/** Output of doctor beside the real CLI, with a home and a folder of its own. */
async function doctor(
  { cliPath, cwd, env }: RealCli,
  more: Readonly<Record<string, string>> = {},
) {
  const settings = {
    cwd,
    env: { ...env, ...denoCache(), CLAUDE_CLI_PATH: cliPath, ...more },
  };
  const ran = await run(["doctor", "--json"], settings);
  assert.ok(ran.stdout.startsWith("{"), ran.stderr);
  const { findings, isHealthy, isProven } = JSON.parse(ran.stdout);
  return { ...ran, findings: findings as Told[], isHealthy, isProven };
}

/** Writes files below the folder of a test: `home/...`, `cwd/...`. */
async function plant(
  { cwd }: RealCli,
  files: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const whole = join(dirname(cwd), path);
    await mkdir(dirname(whole), { recursive: true });
    await writeFile(whole, text);
  }
}

realTest(
  "sluice doctor beside the real CLI finds agents able to run, then a server that does not start",
  [],
  async (real) => {
    const well = await doctor(real);
    assert.deepEqual([well.code, well.isProven], [0, true], well.stdout);
    const of = (check: string) =>
      well.findings.find((one) => one.check === check)?.text ?? "";
    assert.match(of("cli"), /is 2\.1\.\d+, the one in use/);
    assert.match(of("initialize"), /answered after .* models/);
    assert.equal(of("login"), "API key from ANTHROPIC_API_KEY");
    assert.match(of("model"), /^claude-\S+ at http:.* took ANTHROPIC_API_KEY$/);
    assert.doesNotMatch(well.stdout, /sk-ant-scripted/);
    await plant(real, {
      "cwd/.mcp.json": '{"mcpServers":{"gone":{"command":"/no/such/program"}}}',
    });
    const ill = await doctor(real);
    assert.equal(ill.code, 1);
    const [server] = ill.findings.filter(({ check }) => check === "mcp");
    assert.match(server?.text ?? "", /"gone" \(project\) failed: ENOENT/);
  },
);

const FINE = "---\nname: fine\ndescription: works\n---\nHello.\n";

/** Files without a mistake, each a form that the CLI takes. */
const SOUND: Readonly<Record<string, string>> = {
  "home/.claude/settings.json": '\ufeff{"env":{"A":"1"}}',
  "cwd/.claude/settings.local.json": "",
  "cwd/.claude/agents/fine.md": FINE,
  "cwd/.claude/agents/README.md": "About these agents.",
  "cwd/.claude/agents/deep/crlf.md":
    '---\r\nname: "crlf"\r\ndescription: works\r\n---\r\nHello.',
  "cwd/.claude/commands/plain.md": "Say hello.",
  "cwd/.claude/skills/plain/SKILL.md": "Say hello.",
};

/** Entries of servers that the CLI ignores. */
const ODD_SERVERS = [
  '{"url":"http://127.0.0.1:9"}',
  '{"type":"htp","url":"http://127.0.0.1:9"}',
  '{"type":"http"}',
  '{"command":"x","env":{"PORT":1}}',
];

/** Each in a line of its own, and one that lacks a variable. */
const SERVERS = `{"mcpServers":{\n${
  ODD_SERVERS.map((entry, at) => `"odd${at}":${entry},\n`).join("")
}"near":{"command":"true","args":["\${NOT_SET_ANYWHERE}"]}}}`;

/** Planted faults, the finding of doctor, and the fix that it has to name. */
const PLANTED: readonly (readonly [
  plant: string,
  text: string,
  found: RegExp,
  fix: RegExp,
])[] = [
  [
    "home/.claude/settings.json",
    '{\n  "permissions": { "deny": "Bash" },\n  "model": 5\n}',
    /error .*home\/\.claude\/settings\.json:2 permissions\.deny: Expected array/,
    /ignores the file/,
  ],
  [
    "home/.claude/settings.json",
    '{"permissions":{},\n"model": 5}',
    /error .*settings\.json:2 model: Expected string/,
    /correct it/,
  ],
  [
    "cwd/.claude/settings.json",
    '{\n  "env": { "A": "1" },\n}',
    /error .*cwd\/\.claude\/settings\.json:3 is not JSON: a comma before \}/,
    /correct line 3; the CLI ignores the file/,
  ],
  [
    "cwd/.claude/settings.json",
    '{\n  // a comment\n  "env": {}\n}',
    /error .*settings\.json:2 is not JSON: JSON has no comments/,
    /correct line 2/,
  ],
  [
    "cwd/.claude/settings.json",
    "<<<<<<< HEAD\n{}",
    /error .*settings\.json:1 is not JSON: a merge conflict/,
    /correct line 1/,
  ],
  [
    "cwd/.claude/settings.local.json",
    "[]",
    /error .*settings\.local\.json:1 holds no object/,
    /\{ \.\.\. \}/,
  ],
  [
    "home/.claude/settings.json",
    '{\n"hooks": {\n"PreTolUse": [] } }',
    /error .*home\/\.claude\/settings\.json:3 hooks\.PreTolUse: .*Valid events: PreToolUse/,
    /correct it/,
  ],
  [
    "cwd/.claude/settings.json",
    '{"env": {},\n"env": {}}',
    /warning .*settings\.json:2 holds "env" a second time/,
    /later one/,
  ],
  [
    "cwd/.claude/settings.local.json",
    '{"hooks":{"PreToolUse":{}}}',
    /error .*settings\.local\.json:1 hooks\.PreToolUse: .*array/,
    /correct it/,
  ],
  [
    "cwd/.claude/settings.local.json/a-folder",
    "",
    /error .*settings\.local\.json cannot be read: it is a directory/,
    /make it a readable file/,
  ],
  [
    "home/.claude.json",
    '{"mcpServers":{"mine":{"comand":"x"}}}',
    /error .*\.claude\.json:\d+ MCP server "mine" is ignored by the CLI/,
    /write "command"/,
  ],
  [
    "cwd/.mcp.json",
    "{ 'mcpServers': {} }",
    /error .*\.mcp\.json:1 is not JSON: only " quotes a text/,
    /correct line 1/,
  ],
  [
    "cwd/.mcp.json",
    '{"servers":{}}',
    /error .*\.mcp\.json:1 has no "mcpServers"/,
    /in place of "servers"/,
  ],
  ...ODD_SERVERS.map((_, at) =>
    [
      "cwd/.mcp.json",
      SERVERS,
      new RegExp(
        `error .*\\.mcp\\.json:${at + 2} MCP server "odd${at}" is ignored by`,
      ),
      /"type": "http" or "sse" and "url", with texts alone in args, env/,
    ] as const
  ),
  [
    "cwd/.mcp.json",
    SERVERS,
    /warning .*"near" needs NOT_SET_ANYWHERE, which is not set/,
    /set it/,
  ],
  ...[
    ["bare", "Hello."],
    ["mute", "---\nname: mute\n---\nHello."],
    ["open", "---\nname: open\ndescription: works\nHello."],
  ].map(([name, text = ""]) =>
    [
      `cwd/.claude/agents/${name}.md`,
      text,
      new RegExp(
        `warning .*agents/${name}\\.md:1 has no frontmatter with name and descr`,
      ),
      /begin the file with ---/,
    ] as const
  ),
  [
    "cwd/.claude/commands/open.md",
    "---\ndescription: works\nHello.",
    /warning .*commands\/open\.md:1 has a frontmatter that does not end/,
    /a line with ---/,
  ],
  [
    "cwd/.claude/skills/flat.md",
    FINE,
    /warning .*skills\/flat\.md is ignored/,
    /flat\/SKILL\.md/,
  ],
  [
    "cwd/.claude/skills/small/skill.md",
    FINE,
    /warning .*skills\/small is ignored: a skill is a folder with SKILL\.md/,
    /capitals/,
  ],
];

realTest(
  "sluice doctor finds each mistake that is planted in the files of the real CLI, and none in sound files",
  [],
  async (real) => {
    const root = dirname(real.cwd);
    // Several at once where they do not touch one another: each round starts the CLI.
    for (let left = [...PLANTED]; left.length > 0;) {
      const round = new Map(
        left.toReversed().map((one) => [fileOf(one[0]), one] as const),
      );
      // A text may hold several faults.
      const isNow = ([path, text]: (typeof PLANTED)[number]) =>
        round.get(fileOf(path))?.[1] === text;
      const planted = left.filter(isNow);
      left = left.filter((one) => !isNow(one));
      await plant(real, SOUND);
      if (left.length === 0) assert.equal((await doctor(real)).isProven, true);
      await rm(join(root, "cwd/.claude/settings.local.json"));
      for (const [path, text] of planted) {
        await plant(real, { [path]: text });
      }
      const { code, findings } = await doctor(real);
      const said = findings.map(({ fix = "", status, text }) => ({
        text: `${status} ${text}`,
        fix,
      }));
      for (const [path, , found, fix] of planted) {
        const [one] = said.filter(({ text }) => found.test(text));
        assert.ok(one, `${path} ${found}: ${JSON.stringify(said, null, 1)}`);
        assert.match(one.fix, fix);
      }
      const isBroken = said.some(({ text }) => text.startsWith("error "));
      assert.equal(code, isBroken ? 1 : 0);
      for (const name of ["cwd/.claude", "cwd/.mcp.json", "home"]) {
        await rm(join(root, name), { recursive: true, force: true });
      }
      await mkdir(join(root, "home"));
    }
  },
);

/** The file that a fault is in, of which a round can hold one. */
function fileOf(path: string): string {
  return path.replace(/\/a-folder$/, "");
}

realTest(
  "sluice doctor tries what the real CLI would use: address, key and helper of its settings",
  [],
  async (real) => {
    const model = async (
      settings: unknown,
      more: Readonly<Record<string, string>> = {},
    ) => {
      await plant(real, {
        "home/.claude/settings.json": JSON.stringify(settings, null, 1),
      });
      const told = await doctor(real, more);
      const [found] = told.findings.filter(({ check }) => check === "model");
      assert.ok(found, told.stdout);
      return { ...found, code: told.code, stdout: told.stdout };
    };
    const dead = await model({
      env: { ANTHROPIC_BASE_URL: "http://127.0.0.1:9" },
    });
    assert.deepEqual([dead.status, dead.code], ["error", 1]);
    assert.match(dead.text, /^http:\/\/127\.0\.0\.1:9 cannot be reached/);
    assert.match(
      dead.fix ?? "",
      /^correct ANTHROPIC_BASE_URL in \/.*\/settings\.json:3, or/,
    );
    const helped = await model(
      { apiKeyHelper: "echo helped-key-0123456789" },
      { ANTHROPIC_API_KEY: "" },
    );
    assert.equal(helped.status, "ok", helped.text);
    assert.match(helped.text, /took apiKeyHelper in \/.*\/settings\.json:2$/);
    assert.doesNotMatch(helped.stdout, /helped-key/);
    const failing = await model(
      { apiKeyHelper: "exit 3" },
      { ANTHROPIC_API_KEY: "" },
    );
    assert.match(failing.text, /apiKeyHelper in .*:2 failed: exited 3/);
    const error = { type: "authentication_error", message: "invalid key" };
    for (
      const [status, body, expected] of [
        [
          401,
          JSON.stringify({ type: "error", error }),
          /^error .*401: invalid/,
        ],
        [200, "<html>Welcome to our hotel</html>", /^unproven .*wants a login/],
        [404, "<html>", /^error .*is not the address of a model \(404\)/],
      ] as const
    ) {
      const server = createServer((_request, response) => {
        response.writeHead(status).end(body);
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const { port } = server.address() as AddressInfo;
      const ANTHROPIC_BASE_URL = `http://127.0.0.1:${port}`;
      const found = await model({ env: { ANTHROPIC_BASE_URL } });
      assert.match(`${found.status} ${found.text}`, expected);
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    }
    const bedrock = await model({}, {
      CLAUDE_CODE_USE_BEDROCK: "1",
      AWS_REGION: "us-east-1",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9",
    });
    assert.deepEqual([bedrock.status, bedrock.code], ["unproven", 0]);
  },
);

realTest(
  "sluice doctor names the line that keeps the real CLI from starting",
  [],
  async (real) => {
    await plant(real, { "home/.claude.json": '{\n"mcpServers": {\n' });
    const { code, findings } = await doctor(real);
    assert.equal(code, 1);
    const [found] = findings.filter(({ check }) => check === "configuration");
    assert.match(
      found?.text ?? "",
      /home\/\.claude\.json:3 is not JSON: it ends where/,
    );
    assert.match(found?.fix ?? "", /line 3; the CLI does not start until then/);
  },
);
