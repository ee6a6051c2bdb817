import assert from "node:assert/strict";
import process from "node:process";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { delimiter, dirname } from "node:path";
import { Deferred } from "@sluice/agent/extend";
import {
  type AgentOptions,
  Client,
  CliError,
  CliVersionError,
  ConfigError,
  type JsonObject,
  type Logger,
  query,
  ResultError,
} from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { fixture, host, textOf } from "../_children.ts";
import { type Installations, testPlaces } from "../cli/_installations.ts";
import { rejectionOf } from "../_collect.ts";
import { test } from "../_harness.ts";
import { logSpy } from "./_rig.ts";

/** A logger, and the first warning that fits. */
function firstWarning(pattern: RegExp): {
  readonly logger: Logger;
  readonly warned: Promise<string>;
} {
  const nothing = () => {};
  let tell: (text: string) => void = nothing;
  const warned = new Promise<string>((resolve) => tell = resolve);
  const warn = (text: string) => {
    if (pattern.test(text)) tell(text);
  };
  return {
    logger: { debug: nothing, info: nothing, error: nothing, warn },
    warned,
  };
}

/** One prompt; the CLI has its end of input when the promise resolves, and runs until then. */
async function* promptUntil(over: Promise<void>): AsyncGenerator<string> {
  yield "x";
  await over;
}

function warningsOf({ lines }: ReturnType<typeof logSpy>): readonly string[] {
  return lines.filter(({ level }) => level === "warn")
    .map(({ message }) => message);
}

/** A fake CLI in a package of that version, which says nothing of it in its answers. */
async function installed(
  { file, script }: Installations,
  version: string,
  plan: FakeCliScript,
): Promise<{ readonly fake: FakeCli; readonly cliPath: string }> {
  const fake = fakeCli(plan);
  const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
  const name = "@anthropic-ai/claude-code";
  await file("cli/package.json", JSON.stringify({ name, version }));
  const cliPath = await script("cli/bin/claude", `exec ${words} "$@"`);
  return { fake, cliPath };
}

function initializeOf({ received }: FakeCli): JsonObject {
  const line = received.find(({ request }) =>
    (request as JsonObject | undefined)?.subtype === "initialize"
  );
  return line?.request as JsonObject;
}

/** The file of settings that the first run of a CLI was given. */
function settingsOf({ runs }: FakeCli): string {
  const flag = "--settings=";
  const argument = runs[0]?.args.find((one) => one.startsWith(flag));
  return argument?.slice(flag.length) ?? "";
}

testPlaces(
  "query() and connect() tell the logger of several CLIs, and of which one is used",
  async ({ at, script }) => {
    const fake = fakeCli("Hello.");
    const words = fake.cliPath.map((word) => `'${word}'`).join(" ");
    const used = await script("first/claude", `exec ${words} "$@"`);
    const other = await script("second/claude", "exit 1");
    const env = {
      PATH: [at("first"), at("second"), process.env["PATH"]].join(delimiter),
      CLAUDE_CLI_PATH: undefined,
    };
    const asked = firstWarning(/Several CLIs/);
    // The end of a conversation gives the look one second more, and no longer.
    const looked = asked.warned.then(() => {});
    const conversation = query(promptUntil(looked), {
      env,
      logger: asked.logger,
    });
    const text = await asked.warned;
    assert.ok(text.includes(`"${used}"`) && text.includes(`"${other}"`), text);
    assert.ok(text.indexOf(used) < text.indexOf(other), "in order");
    await conversation.close();

    await script("third/claude", `exec ${words} "$@"`);
    const connected = firstWarning(/Several CLIs/);
    const client = new Client({
      env: { ...env, PATH: `${at("third")}${delimiter}${env.PATH}` },
      logger: connected.logger,
    });
    await client.connect();
    assert.match(await connected.warned, /the first one is used/);
    await client.close();

    const again = logSpy();
    await query("x", { env, logger: again.logger }).text();
    assert.deepEqual(warningsOf(again), [], "once is enough");
    await fake.close();
  },
  { ids: ["D-05"] },
);

testPlaces(
  "an older CLI reads settings and servers from files of this user alone, which are gone at the end",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.300", [[
      { text: "Hello." },
    ]]);
    const secret = "aB3dE5fG7hI9jK1lM3nO5";
    const env = { API_TOKEN: secret };
    // The files are there as long as the CLI runs.
    const read = new Deferred<void>();
    const conversation = query(promptUntil(read.promise), {
      cliPath,
      settings: { env },
      mcpServers: { srv: { command: "srv", env, via: "cli" } },
    });
    await conversation.ready;
    const [run] = fake.runs;
    const args = run?.args ?? [];
    const pathOf = (flag: string) =>
      args.find((one) => one.startsWith(flag))?.slice(flag.length) ?? "";
    const files = [pathOf("--settings="), pathOf("--mcp-config=")];
    const [settings, servers] = await Promise.all(
      files.map(async (path) => {
        if (process.platform !== "win32") {
          assert.equal((await stat(path)).mode & 0o777, 0o600);
          assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
        }
        return JSON.parse(await readFile(path, "utf8"));
      }),
    );
    read.resolve();
    assert.deepEqual(settings, { env });
    assert.deepEqual(servers.mcpServers.srv.env, env);
    for (const one of args) {
      assert.doesNotMatch(one, /--await-initialize|--initialize-fields/);
      assert.ok(!one.includes(secret), one);
    }
    const sent = initializeOf(fake);
    for (const field of ["settings", "mcpServers"]) {
      assert.ok(!(field in sent), field);
    }
    assert.equal(await conversation.text(), "Hello.");
    await conversation.close();
    for (const path of files) {
      await assert.rejects(stat(dirname(path)), { code: "ENOENT" });
    }
    await fake.close();
  },
);

testPlaces(
  "files for an older CLI are gone when the reader is at the end of the messages",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.300", "Hello.");
    const conversation = query("x", {
      cliPath,
      settings: { env: { A: "b" } },
    });
    for await (const _ of conversation);
    const isThere = existsSync(settingsOf(fake));
    await conversation.close();
    await fake.close();
    assert.equal(isThere, false);
  },
);

testPlaces(
  "files for an older CLI are gone when this program exits in the middle",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.300", {
      turns: [[{ wait: "prompt" }]],
    });
    const request = fixture(
      new URL("../fixtures/exit_driver.ts", import.meta.url),
      cliPath,
    );
    const child = await (await host()).spawn(request);
    await child.stdin.end();
    const [said, { code }] = await Promise.all([
      textOf(child.stderr),
      child.exited,
      textOf(child.stdout),
    ]);
    const path = settingsOf(fake);
    await fake.close();
    assert.equal(code, 7, said);
    assert.match(path, /sluice-/);
    assert.equal(existsSync(dirname(path)), false);
  },
);

testPlaces(
  "files for an older CLI are gone as well when it cannot be started",
  async (place) => {
    const { file, script } = place;
    const name = "@anthropic-ai/claude-code";
    const version = "2.1.300";
    await file("cli/package.json", JSON.stringify({ name, version }));
    const note = place.at("note");
    const cliPath = await script(
      "cli/bin/claude",
      `for one in "$@"; do echo "$one" >> "${note}"; done`,
      "exit 3",
    );
    const options = { cliPath, settings: { env: { A: "b" } } };
    await rejectionOf(query("x", options).text());
    const [, path = ""] =
      /--settings=(.*)/.exec(await readFile(note, "utf8")) ??
        [];
    assert.notEqual(path, "");
    await assert.rejects(stat(path), { code: "ENOENT" });
  },
);

testPlaces(
  "an option that an older CLI would end for is refused before it is started",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.299", "Hello.");
    const conversation = query("x", { cliPath, managedSettings: {} });
    const error = await rejectionOf(conversation.ready);
    assert.ok(error instanceof ConfigError, String(error));
    assert.equal(error.key, "managedSettings");
    assert.match(error.message, /2\.1\.326 or later.*is 2\.1\.299; update it/);
    assert.ok(error.message.includes(cliPath), error.message);
    assert.equal(fake.runs.length, 0);
    await fake.close();
  },
);

testPlaces(
  "a CLI that is older than the oldest supported one is a CliVersionError before anything is sent",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.260", {
      initialize: "silent",
    });
    const { logger, lines } = logSpy();
    const error = await rejectionOf(query("x", { cliPath, logger }).text());
    assert.ok(error instanceof CliVersionError, String(error));
    assert.equal(error.stage, "connect");
    assert.equal(error.version, "2.1.260");
    assert.equal(error.minimum, "2.1.261");
    assert.ok(
      error.message.startsWith(
        `CLI 2.1.260 at "${cliPath}" is older than 2.1.261: run claude update`,
      ),
      error.message,
    );
    assert.equal(lines.filter(({ level }) => level === "error").length, 1);
    assert.deepEqual(fake.received, []);
    await fake.close();
  },
  { ids: ["D-03"] },
);

test(
  "a CLI that reports an unsupported version in its reply is a CliVersionError",
  async () => {
    const fake = fakeCli({ initialize: { claude_code_version: "1.0.117" } });
    const { cliPath } = fake;
    const error = await rejectionOf(query("x", { cliPath }).text());
    assert.ok(error instanceof CliVersionError, String(error));
    assert.match(error.message, /^CLI 1\.0\.117 at .*: run claude update/);
    await fake.close();
  },
  { ids: ["D-03"] },
);

for (
  const [key, receipt, options] of [
    ["settings", "settings_applied", { settings: { env: { A: "b" } } }],
    ["settings", "settings_applied", { sandbox: { enabled: false } }],
    ["mcpServers", "mcp_servers_applied", {
      mcpServers: { srv: { command: "srv", via: "cli" } },
    }],
  ] satisfies (readonly [string, string, AgentOptions])[]
) {
  test(
    `"${Object.keys(options)}" is refused by a CLI that did not apply it`,
    async () => {
      const fake = fakeCli({
        initialize: { claude_code_version: "2.1.300", [receipt]: null },
      });
      const { cliPath } = fake;
      const error = await rejectionOf(
        query("x", { cliPath, ...options }).text(),
      );
      await fake.close();
      assert.ok(error instanceof ConfigError, String(error));
      assert.equal(error.key, key);
    },
  );
}

test("a guard of PreSkillShellCommand is refused before the prompt by a CLI that does not say its version", async () => {
  const fake = fakeCli({ initialize: { claude_code_version: null } });
  const { cliPath } = fake;
  const hooks = { PreSkillShellCommand: [{ hooks: [() => ({})] }] };
  const error = await rejectionOf(query("x", { cliPath, hooks }).text());
  const received = fake.runs.flatMap(({ received }) => received);
  const answer = await query("x", { cliPath, hooks: {} }).text();
  await fake.close();
  assert.ok(error instanceof ConfigError, String(error));
  assert.equal(error.key, "hooks.PreSkillShellCommand");
  assert.match(error.message, /2\.1\.332 .* does not say its version/);
  assert.ok(received.every(({ type }) => type !== "user"));
  assert.equal(typeof answer, "string");
});

testPlaces(
  "an unsupported CLI is reported before an option that it does not know",
  async (place) => {
    const { fake, cliPath } = await installed(place, "2.1.30", "Hello.");
    const error = await rejectionOf(
      query("x", { cliPath, managedSettings: {} }).text(),
    );
    assert.equal(fake.runs.length, 0);
    await fake.close();
    assert.ok(error instanceof CliVersionError, String(error));
  },
  { ids: ["D-03"] },
);

test("a version can do nothing to a terminal, and is cut where it is long", async () => {
  for (
    const [version, shown] of [
      ["2.1.30\n\u001b[31mFAKE", "2.1.30\\u{a}\\u{1b}[31mFAKE at"],
      [`2.1.30${"x".repeat(100_000)}`, "2.1.30xxx"],
    ] as const
  ) {
    const fake = fakeCli({ initialize: { claude_code_version: version } });
    const { logger, lines } = logSpy();
    const { cliPath } = fake;
    const error = await rejectionOf(query("x", { cliPath, logger }).text());
    await fake.close();
    assert.ok(error instanceof CliError, String(error));
    assert.ok(error.message.startsWith(`CLI ${shown}`), error.message);
    assert.ok(error.message.length < 1_000);
    const text = JSON.stringify(lines.map(({ message, fields }) => [
      message,
      fields,
    ]));
    assert.ok(!text.includes("\\u001b[31mFAKE"), text);
  }
});

for (
  const [version, warning] of [
    ["banana", /no version that could be read.*says "banana"/],
    ["2030.1.1", /later generation than 2\.1\.\d+.* is 2030\.1\.1/],
    [null, /does not say which version it is/],
    ["2.1.300", /older than 2\.1\.\d+, which was tested: .* is 2\.1\.300/],
  ] as const
) {
  test(
    `a CLI of version ${version} works, and the logger hears of it once`,
    async () => {
      const claude_code_version = version;
      const fake = fakeCli({
        initialize: { claude_code_version },
        init: { claude_code_version },
        turns: "Hello.",
      });
      const options = { cliPath: fake.cliPath, systemPrompt: "Be brief." };
      const first = logSpy();
      const said = query("x", { ...options, logger: first.logger });
      assert.equal(await said.text(), "Hello.");
      await said.close();
      const [warned, ...more] = warningsOf(first);
      assert.match(warned ?? "", warning);
      assert.deepEqual(more, []);
      assert.deepEqual(initializeOf(fake).systemPrompt, ["Be brief."]);
      const second = logSpy();
      await query("x", { ...options, logger: second.logger }).text();
      assert.deepEqual(warningsOf(second), []);
      await fake.close();
    },
    { ids: ["D-03"] },
  );
}

test(
  "query() has nothing to say of a CLI that is named and new enough",
  async () => {
    const fake = fakeCli("Hello.");
    const { logger, lines } = logSpy();
    await query("x", { cliPath: fake.cliPath, logger }).text();
    assert.deepEqual(lines.filter(({ level }) => level === "warn"), []);
    await fake.close();
  },
  { ids: ["D-03", "D-05"] },
);

test("the error of text() quotes an API that refuses an old CLI", async () => {
  // Source: CLI 2.1.332, tried with this answer of the API.
  const text = "API Error: 400 Claude Code 2.1.31 does not support this " +
    "model; version 2.1.200 or newer is required.";
  const result = { is_error: true, result: text };
  const fake = fakeCli({ turns: "x", result, exitCode: 1 });
  const error = await rejectionOf(query("x", { cliPath: fake.cliPath }).text());
  assert.ok(error instanceof ResultError, String(error));
  assert.ok(error.message.includes(text), error.message);
  await fake.close();
});
