import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
} from "node:fs";
import { mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import {
  InMemorySessionStore,
  type Options,
  query,
  type SessionStore,
} from "@sluice/agent/compat";
import { test } from "../_harness.ts";
import { drained, messagesOf, withFake } from "./_compat.ts";
import { launchOf } from "./_process.ts";

const SESSION = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const SHARED = "8d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const CREDENTIALS = {
  claudeAiOauth: { accessToken: "access", refreshToken: "refresh" },
};
const SETTINGS = {
  model: "m",
  enabledPlugins: { a: true },
  extraKnownMarketplaces: {},
  additionalMarketplaces: [],
  env: { A: "1", CLAUDE_CONFIG_DIR: "/other" },
};

interface Place {
  /** Options that resume the session, with a configuration of its own. */
  readonly options: Options;
  /** Folder for everything temporary. */
  readonly temporary: string;
  readonly store: InMemorySessionStore;
}

/** A configuration with a sign-in, and a store with one session; nothing temporary may be left. */
async function withStore(use: (place: Place) => Promise<void>): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "resumed-")));
  const { TMPDIR } = process.env;
  try {
    const [home, temporary, cwd] = ["home", "tmp", "cwd"].map((name) => {
      const path = join(folder, name);
      mkdirSync(path);
      return path;
    });
    assert.ok(home && temporary && cwd);
    await writeFile(
      join(home, ".credentials.json"),
      JSON.stringify(CREDENTIALS),
    );
    await writeFile(join(home, "settings.json"), JSON.stringify(SETTINGS));
    await writeFile(join(home, ".claude.json"), '{"own":true}');
    await writeFile(join(home, "history.jsonl"), "secret");
    const store = new InMemorySessionStore();
    const projectKey = cwd.replaceAll(/[^a-zA-Z0-9]/g, "-");
    await store.append({ projectKey, sessionId: SESSION }, [{
      type: "user",
      uuid: "11111111-1111-4111-8111-111111111111",
      sessionId: SESSION,
    }]);
    process.env["TMPDIR"] = temporary;
    const env = { ...process.env, CLAUDE_CONFIG_DIR: home };
    const options = { cwd, env, resume: SESSION, sessionStore: store };
    await use({ options, temporary, store });
    assert.deepEqual(readdirSync(temporary), []);
  } finally {
    if (TMPDIR === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = TMPDIR;
    await rm(folder, { recursive: true, force: true });
  }
}

test("a session of a store is resumed in a configuration of its own, with the sign-in but not what renews it", async () => {
  await withStore(async ({ options, temporary }) => {
    const { args } = await launchOf(options, ({ env }) => {
      const folder = env["CLAUDE_CONFIG_DIR"] ?? "";
      assert.ok(folder.startsWith(temporary), folder);
      const json = (name: string) =>
        JSON.parse(readFileSync(join(folder, name), "utf8"));
      assert.deepEqual(json(".credentials.json"), {
        claudeAiOauth: { accessToken: "access" },
      });
      assert.deepEqual(json("settings.json"), { model: "m", env: { A: "1" } });
      assert.deepEqual(json(".claude.json"), { own: true });
      assert.equal(existsSync(join(folder, "history.jsonl")), false);
      if (process.platform !== "win32") {
        const { mode } = statSync(join(folder, ".credentials.json"));
        assert.equal(mode & 0o077, 0);
      }
      const [project = ""] = readdirSync(join(folder, "projects"));
      assert.deepEqual(readdirSync(join(folder, "projects", project)), [
        `${SESSION}.jsonl`,
      ]);
    });
    assert.ok(args.includes(`--resume=${SESSION}`));
    assert.ok(args.includes("--session-mirror"));
  });
});

test("a relative CLAUDE_CONFIG_DIR begins at the working directory of the CLI", async () => {
  await withStore(async ({ options }) => {
    const env = { ...options.env, CLAUDE_CONFIG_DIR: "../home" };
    let copied: readonly string[] = [];
    await launchOf({ ...options, env }, ({ env }) => {
      copied = readdirSync(env["CLAUDE_CONFIG_DIR"] ?? "");
    });
    assert.deepEqual(
      copied.toSorted(),
      [".claude.json", ".credentials.json", "projects", "settings.json"],
    );
  });
});

test("with an empty CLAUDE_CONFIG_DIR .claude.json is in the home directory, and all else where the CLI runs", async () => {
  await withStore(async ({ options }) => {
    const { cwd = "" } = options;
    const home = join(cwd, "../home");
    await writeFile(join(cwd, "settings.json"), '{"model":"here"}');
    await writeFile(join(cwd, ".claude.json"), '{"own":false}');
    const env = { ...options.env, HOME: home, CLAUDE_CONFIG_DIR: "" };
    await launchOf({ ...options, env }, ({ env }) => {
      const folder = env["CLAUDE_CONFIG_DIR"] ?? "";
      const json = (name: string) =>
        JSON.parse(readFileSync(join(folder, name), "utf8"));
      assert.deepEqual(json("settings.json"), { model: "here" });
      assert.deepEqual(json(".claude.json"), { own: true });
    });
  });
});

test("a session is read and resumed under the name that CLAUDE_CODE_PROJECT_DIR_NAME gives all projects", async () => {
  await withStore(async ({ options, store }) => {
    const shared = { CLAUDE_CODE_PROJECT_DIR_NAME: "shared" };
    const key = { projectKey: "shared", sessionId: SHARED };
    await store.append(key, [{ type: "user", uuid: "u1", sessionId: SHARED }]);
    const env = { ...options.env, ...shared };
    const { resume: _, ...others } = options;
    const { args } = await launchOf(
      { ...others, env, continue: true },
      ({ env }) => {
        const folder = env["CLAUDE_CONFIG_DIR"] ?? "";
        assert.deepEqual(readdirSync(join(folder, "projects")), ["shared"]);
      },
    );
    assert.ok(args.includes(`--resume=${SHARED}`));
  });
});

test("the copy is removed when the query has ended", async () => {
  await withFake("ok", async (standIn) => {
    await withStore(async ({ options, temporary }) => {
      let there: readonly string[] = [];
      const messages = await drained("Hi", {
        ...options,
        ...standIn,
        spawnClaudeCodeProcess({ command, args, env }) {
          there = readdirSync(temporary);
          return spawn(command, args, {
            env: env as Record<string, string>,
            stdio: ["pipe", "pipe", "inherit"],
          });
        },
      });
      assert.equal(messages.at(-1)?.["result"], "ok");
      assert.equal(there.length, 1);
    });
  });
});

test("a store that fails while the copy is made leaves nothing of it", async () => {
  await withStore(async ({ options, store }) => {
    const broken: SessionStore = {
      append: () => Promise.resolve(),
      load: (key) => store.load(key),
      listSubkeys: () => Promise.reject(new Error("store is gone")),
    };
    await assert.rejects(
      messagesOf(
        query({ prompt: "Hi", options: { ...options, sessionStore: broken } }),
      ),
      /store is gone/,
    );
  });
});

test("a store that does not answer is given up after loadTimeoutMs", async () => {
  await withStore(async ({ options }) => {
    const silent: SessionStore = {
      append: () => Promise.resolve(),
      load: () => new Promise(() => {}),
    };
    const run = query({
      prompt: "Hi",
      options: { ...options, sessionStore: silent, loadTimeoutMs: 1 },
    });
    await assert.rejects(messagesOf(run), {
      message: `SessionStore.load() for session ${SESSION} timed out after 1ms`,
    });
  });
});

test("a session that the store has not is the CLI's to find, in the configuration as it is", async () => {
  await withStore(async ({ options }) => {
    const resume = "22222222-2222-4222-8222-222222222222";
    const { args, env } = await launchOf({ ...options, resume });
    assert.ok(args.includes(`--resume=${resume}`));
    assert.equal(env["CLAUDE_CONFIG_DIR"], options.env?.["CLAUDE_CONFIG_DIR"]);
  });
});

test("to continue begins a new session if the newest one is empty or gone", async () => {
  await withStore(async ({ options, store }) => {
    const { resume: _, ...rest } = options;
    const gone = "33333333-3333-4333-8333-333333333333";
    for (const lines of [null, []]) {
      const sessionStore: SessionStore = {
        append: () => Promise.resolve(),
        load: (key) =>
          key.sessionId === gone ? Promise.resolve(lines) : store.load(key),
        listSessions: () =>
          Promise.resolve([
            { sessionId: gone, mtime: 3 },
            { sessionId: SESSION, mtime: 1 },
          ]),
      };
      const continuing = { ...rest, continue: true, sessionStore };
      const { args, env } = await launchOf(continuing);
      assert.ok(!args.some((one) => /^--(continue|resume)/.test(one)));
      assert.equal(env["CLAUDE_CONFIG_DIR"], rest.env?.["CLAUDE_CONFIG_DIR"]);
    }
  });
});

test("to continue is to resume the newest session of the directory", async () => {
  await withStore(async ({ options, store }) => {
    const { resume: _, ...rest } = options;
    const older = "33333333-3333-4333-8333-333333333333";
    const listSessions = () =>
      Promise.resolve([
        { sessionId: older, mtime: 1 },
        { sessionId: SESSION, mtime: 3 },
        { sessionId: older, mtime: 2 },
      ]);
    const newest: SessionStore = {
      append: () => Promise.resolve(),
      load: (key) => store.load(key),
      listSessions,
    };
    const { args } = await launchOf({
      ...rest,
      continue: true,
      sessionStore: newest,
    });
    assert.ok(args.includes(`--resume=${SESSION}`));
    assert.ok(!args.includes("--continue"));
    const none = await launchOf({
      ...rest,
      continue: true,
      sessionStore: { ...newest, listSessions: () => Promise.resolve([]) },
    });
    assert.ok(none.args.every((one) => !one.startsWith("--resume")));
  });
});
