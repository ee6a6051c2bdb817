import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { type AgentOptions, query } from "@sluice/agent";
import { serveLoopback } from "../../src/runtime/loopback.ts";
import { needsProc } from "../_children.ts";
import { collect } from "../_collect.ts";
import { type RealCli, reasonWithoutCli } from "../_real_cli.ts";
import { processesBelow, until } from "./_query.ts";
import { ALLOW, bash, realTest } from "./_real.ts";

/** Variables of these tests' host, which a CLI may or may not get. */
const OF_THE_HOST = {
  CLAUDECODE: "of-the-host",
  DEBUG: "of-the-host",
  NODE_OPTIONS: "--no-warnings",
  SLUICE_TEST_PLAIN: "of-the-host",
  SLUICE_TEST_REMOVED: "of-the-host",
  ANTHROPIC_CUSTOM_HEADERS: "x-of-the-host: yes",
};

type Variables = Readonly<Record<string, string | undefined>>;

/** Variables of the developer that would lead the CLI elsewhere. */
function foreign(): Variables {
  const names = Object.keys(process.env).filter((name) =>
    /^(ANTHROPIC|CLAUDE|AWS|GOOGLE|VERTEX)_/.test(name) &&
    !(name in OF_THE_HOST)
  );
  return Object.fromEntries(names.map((name) => [name, undefined]));
}

/** Runs something while this program has certain variables. */
async function withVariables<T>(
  variables: Variables,
  use: () => Promise<T>,
): Promise<T> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await use();
  } finally {
    for (const name of Object.keys(variables)) {
      const value = before[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }
}

/** Environment that a Bash tool of the CLI sees. */
function environmentOfTool(
  { options, env, cwd }: RealCli,
  more: AgentOptions,
): Promise<Variables> {
  return withVariables(OF_THE_HOST, async () => {
    await query("Show it", {
      ...options,
      ...ALLOW,
      ...more,
      env: { ...foreign(), ...env, ...more.env },
    }).text();
    const lines = readFileSync(join(cwd, "env.txt"), "utf8").split("\n");
    return Object.fromEntries(lines.map((line) => {
      const at = line.indexOf("=");
      return [line.slice(0, at), line.slice(at + 1)];
    }));
  });
}

const SHOWS = [bash("env > env.txt"), "Shown."];

realTest(
  'envPolicy "inherit" hands everything on but what would change the CLI',
  SHOWS,
  async (real) => {
    const seen = await environmentOfTool(real, {
      envPolicy: "inherit",
      env: { SLUICE_TEST_OWN: "a b=c", SLUICE_TEST_REMOVED: undefined },
    });
    assert.equal(seen["SLUICE_TEST_PLAIN"], "of-the-host");
    assert.equal(seen["SLUICE_TEST_OWN"], "a b=c");
    assert.equal(seen["SLUICE_TEST_REMOVED"], undefined);
    // The CLI sets this one for its tools itself.
    assert.equal(seen["CLAUDECODE"], "1");
    assert.equal(seen["DEBUG"], undefined);
    assert.equal(seen["NODE_OPTIONS"], undefined);
    assert.equal(seen["HOME"], real.env["HOME"]);
    assert.equal(seen["PWD"], real.cwd);
    const [request] = real.model.requests;
    assert.equal(request?.headers["x-of-the-host"], "yes");
  },
);

realTest(
  'envPolicy "allowlist" hands on what leads to the model, and nothing else',
  SHOWS,
  async (real) => {
    const seen = await environmentOfTool(real, {
      envPolicy: "allowlist",
      env: { SLUICE_TEST_OWN: "own" },
    });
    assert.equal(seen["SLUICE_TEST_PLAIN"], undefined);
    assert.equal(seen["SLUICE_TEST_OWN"], "own");
    assert.notEqual(seen["PATH"] ?? "", "");
    const [request] = real.model.requests;
    assert.equal(request?.headers["x-of-the-host"], "yes");
  },
);

realTest(
  'envPolicy "replace" hands nothing on',
  SHOWS,
  async (real) => {
    const seen = await environmentOfTool(real, { envPolicy: "replace" });
    assert.equal(seen["SLUICE_TEST_PLAIN"], undefined);
    assert.equal(seen["ANTHROPIC_CUSTOM_HEADERS"], undefined);
    const [request] = real.model.requests;
    assert.equal(request?.headers["x-of-the-host"], undefined);
  },
);

/** Every text below it would give something away. */
const SECRETS = {
  prompt: "very-secret-prompt",
  system: "very-secret-system",
  agent: "very-secret-agent",
  setting: "very-secret-setting",
  header: "very-secret-header",
  variable: "very-secret-variable",
};

realTest(
  "the command line and the logs hold no prompt, no settings and no secret of a server, and all of it arrives",
  [bash("echo $FROM_SETTINGS > settings.txt"), "Known."],
  async ({ options, cwd, env, model }) => {
    const tokens = new Set<string | null>();
    const server = await serveLoopback((request) => {
      tokens.add(request.headers.get("authorization"));
      return new Response("not here", { status: 404 });
    });
    const logged: unknown[] = [];
    const log = (...all: unknown[]) => void logged.push(all);
    const conversation = query(SECRETS.prompt, {
      ...options,
      ...ALLOW,
      env: { ...env, MY_API_KEY: SECRETS.variable },
      systemPrompt: SECRETS.system,
      settings: { env: { FROM_SETTINGS: SECRETS.setting } },
      agents: { spy: { description: "spies", prompt: SECRETS.agent } },
      mcpServers: {
        web: {
          type: "http",
          url: server.url,
          headers: { authorization: `Bearer ${SECRETS.header}` },
          via: "cli",
        },
        local: {
          command: "/no/such/program",
          env: { TOKEN: SECRETS.variable },
          via: "cli",
        },
      },
      hooks: { PreToolUse: [{ hooks: [fails], onFailure: "continue" }] },
      logger: { debug: log, info: log, warn: log, error: log },
    });
    try {
      await conversation.ready;
      const pid = conversation.pid ?? 0;
      const lines = [pid, ...processesBelow(pid)].map(commandLine);
      assert.match(lines[0] ?? "", /--await-initialize/);
      const { mcpServers } = await conversation.mcpStatus();
      assert.deepEqual(mcpServers.map(({ name }) => name).toSorted(), [
        "local",
        "web",
      ]);
      assert.equal(await conversation.text(), "Known.");
      await until(() => tokens.size > 0);
      const { items: errors } = await collect(conversation.errors);
      assert.deepEqual(errors.map(({ code }) => code), ["protocol_handler"]);
      assert.ok(JSON.stringify(logged).includes("--await-initialize"));
      const told = JSON.stringify([lines, logged, errors, errors.map(String)]);
      for (const [name, secret] of Object.entries(SECRETS)) {
        assert.ok(!told.includes(secret), `${name} leaks`);
      }
      assert.deepEqual([...tokens], [`Bearer ${SECRETS.header}`]);
      const [request] = model.requests;
      assert.ok(request?.system.includes(SECRETS.system));
      assert.ok(request?.lastText.includes(SECRETS.prompt));
      assert.equal(
        readFileSync(join(cwd, "settings.txt"), "utf8").trim(),
        SECRETS.setting,
      );
    } finally {
      await conversation.close();
      await server.close();
    }
  },
  { ids: ["E-07", "MI-20"], skip: reasonWithoutCli ?? needsProc },
);

function fails(): never {
  throw new Error("Hook is broken");
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

realTest(
  "the CLI takes a conversation for one of a program: its session says so, and it offers the agents that the official SDK is offered",
  ["Hello.", "Hello."],
  async ({ options, env }) => {
    const agents: string[][] = [];
    for (const entrypoint of [undefined, "sdk-ts"]) {
      const conversation = query("hi", {
        ...options,
        env: {
          ...env,
          ...entrypoint !== undefined && { CLAUDE_CODE_ENTRYPOINT: entrypoint },
        },
      });
      const { agents: offered } = await conversation.ready;
      agents.push(offered.map(({ name }) => name));
      await conversation.text();
      await conversation.close();
    }
    assert.deepEqual(agents[0], agents[1]);
    const projects = join(env.HOME ?? "", ".claude", "projects");
    const said = readdirSync(projects, { recursive: true })
      .filter((name) => String(name).endsWith(".jsonl"))
      .map((name) => readFileSync(join(projects, String(name)), "utf8"))
      .join("\n");
    const points = said.match(/"entrypoint":"[^"]*"/g) ?? [];
    assert.deepEqual([...new Set(points)].sort(), [
      '"entrypoint":"sdk-cli"',
      '"entrypoint":"sdk-ts"',
    ]);
  },
);
