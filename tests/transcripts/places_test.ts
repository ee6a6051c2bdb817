import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { host, needsShell } from "../_children.ts";
import {
  configFolder,
  projectKey,
  projectKeysOf,
  stateFile,
} from "../../src/transcripts/places.ts";
import { test } from "../_harness.ts";

const NFD = "cafe\u0301";
const NFC = "caf\u00e9";

test("a decomposed accent in a directory is kept in its key, except on macOS", async () => {
  const real = await host();
  for (const [platform, key] of [["linux", "-cafe-"], ["darwin", "-caf-"]]) {
    const files = {
      ...real.files,
      realPath: (path: string) => Promise.resolve(path),
    };
    const given = { ...real, files, platform: String(platform) };
    assert.equal(await projectKey(given, `/${NFD}`), key);
  }
});

test(
  "CLAUDE_CONFIG_DIR is composed and begins at the working directory of the CLI; .claude.json is in it as it is written, and in the home directory where it is empty",
  async () => {
    const real = await host();
    const here = real.cwd();
    const [home, config] = ["/home/ada", "/home/ada/.claude"];
    const cases: readonly (readonly [
      given: { readonly CLAUDE_CONFIG_DIR?: string; readonly HOME?: string },
      cwd: string | undefined,
      configFolder: string,
      folderOfState: string,
    ])[] = [
      [{}, undefined, config, home],
      [{}, "/work", config, home],
      [{ HOME: "ada" }, "/work", "/work/ada/.claude", "/work/ada"],
      [{ CLAUDE_CONFIG_DIR: "" }, undefined, here, home],
      [{ CLAUDE_CONFIG_DIR: "" }, "/work", "/work", home],
      [{ CLAUDE_CONFIG_DIR: "own" }, undefined, `${here}/own`, `${here}/own`],
      [{ CLAUDE_CONFIG_DIR: "own" }, "/work", "/work/own", "/work/own"],
      [{ CLAUDE_CONFIG_DIR: "own" }, "a", `${here}/a/own`, `${here}/a/own`],
      [{ CLAUDE_CONFIG_DIR: "../own/" }, "/work/a", "/work/own", "/work/own"],
      [{ CLAUDE_CONFIG_DIR: "/own" }, "/work", "/own", "/own"],
      [{ CLAUDE_CONFIG_DIR: "/own/" }, undefined, "/own", "/own"],
      [{ CLAUDE_CONFIG_DIR: `/${NFD}` }, undefined, `/${NFC}`, `/${NFD}`],
    ];
    for (const [given, cwd, folder, folderOfState] of cases) {
      const env = { HOME: home, ...given };
      const why = JSON.stringify([given, cwd]);
      assert.equal(configFolder(real, env, cwd), folder, why);
      const state = `${folderOfState}/.claude.json`;
      assert.equal(stateFile(real, env, cwd), state, why);
    }
  },
  { skip: needsShell },
);

test(
  "a directory that is not on this machine has the key of its absolute path",
  async () => {
    const real = await host();
    const here = await realpath(real.cwd());
    const keyOf = (path: string) => path.replaceAll(/[^a-zA-Z0-9]/g, "-");
    const cases = [
      ["/gone/", "/gone"],
      ["/x/../gone", "/gone"],
      ["/./gone//here", "/gone/here"],
      ["/gone/..", "/"],
      ["gone", `${here}/gone`],
      ["./x/../gone/", `${here}/gone`],
      ["gone/..", here],
      ["", here],
    ] as const;
    for (const [cwd, path] of cases) {
      assert.equal(await projectKey(real, cwd), keyOf(path), cwd);
      const place = { projects: "/none", cwd, includeWorktrees: false };
      assert.deepEqual(await projectKeysOf(real, place), [keyOf(path)], cwd);
    }
  },
  { skip: needsShell },
);

test("CLAUDE_CODE_PROJECT_DIR_NAME beside CLAUDE_CONFIG_DIR is the key of all directories", async () => {
  const real = await host();
  const cases:
    readonly (readonly [Readonly<Record<string, string>>, string])[] = [
      [
        { CLAUDE_CONFIG_DIR: "/own", CLAUDE_CODE_PROJECT_DIR_NAME: "a_B-1" },
        "a_B-1",
      ],
      [{ CLAUDE_CODE_PROJECT_DIR_NAME: "shared" }, "-x"],
      [{ CLAUDE_CONFIG_DIR: "", CLAUDE_CODE_PROJECT_DIR_NAME: "shared" }, "-x"],
      ...["", "a/b", "..", "a".repeat(65), "a\n", "CON", "lpt1"].map((name) =>
        [
          { CLAUDE_CONFIG_DIR: "/own", CLAUDE_CODE_PROJECT_DIR_NAME: name },
          "-x",
        ] as const
      ),
    ];
  for (const [env, key] of cases) {
    const given = { ...real, env: () => env };
    const why = JSON.stringify(env);
    assert.equal(await projectKey(given, "/x", env), key, why);
    assert.equal(await projectKey(given, "/x"), key, why);
    const place = { projects: "", cwd: "/x" };
    assert.deepEqual(
      await projectKeysOf(given, place),
      key === "-x" ? ["-x"] : [key, "-x"],
      why,
    );
  }
});

/** A folder for files of Git, and the keys in it. */
async function inRepositories(
  use: (given: {
    readonly at: (path: string) => string;
    /** Makes files, by path; those without text are directories. */
    readonly make: (files: Readonly<Record<string, string>>) => Promise<void>;
    /** Asserts of which directories a directory has the sessions. */
    readonly has: (
      cwd: string,
      expected: readonly string[],
      includeWorktrees?: boolean,
    ) => Promise<void>;
  }) => Promise<void>,
): Promise<void> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "places-")));
  const at = (path: string) => join(folder, path);
  const real = await host();
  try {
    await use({
      at,
      async make(files) {
        for (const [path, text] of Object.entries(files)) {
          await mkdir(text === "" ? at(path) : dirname(at(path)), {
            recursive: true,
          });
          if (text !== "") await writeFile(at(path), text);
        }
      },
      async has(cwd, expected, includeWorktrees = true) {
        const place = { projects: "", cwd: at(cwd), includeWorktrees };
        const keys = await projectKeysOf(real, place);
        const named = expected.map((path) => projectKey(real, at(path)));
        assert.deepEqual(
          [...keys].sort(),
          (await Promise.all(named)).sort(),
          cwd,
        );
      },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("a directory inside of a repository has the sessions of all its work trees", async () => {
  await inRepositories(async ({ at, make, has }) => {
    await make({
      "repo/a/b": "",
      "w/a": "",
      "none": "",
      "repo/.git/worktrees/w/gitdir": at("w/.git\n"),
      "w/.git": `gitdir: ${at("repo/.git/worktrees/w")}\n`,
    });
    await has("repo/a/b", ["repo", "repo/a/b", "w"]);
    await has("w/a", ["repo", "w", "w/a"]);
    await has("repo/a", ["repo/a"], false);
    await has("none", ["none"]);
  });
});

test("files of Git may hold relative paths", async () => {
  await inRepositories(async ({ at, make, has }) => {
    await make({
      "w/a": "",
      "repo/.git/worktrees/w/gitdir": "../../../../w/.git\n",
      "repo/.git/worktrees/w/commondir": "../..\n",
      "w/.git": "gitdir: ../repo/.git/worktrees/w\n",
    });
    await has("repo", ["repo", "w"]);
    await has("w/a", ["repo", "w", "w/a"]);
    // Only this file names the repository.
    await make({
      "v/.git": `gitdir: ${at("elsewhere/v")}\n`,
      "elsewhere/v/commondir": "../../repo/.git\n",
    });
    await has("v", ["repo", "v", "w"]);
    await make({ "bare/.bare/worktrees/x/gitdir": at("bare/x/.git") });
    await make({ "bare/.git": "gitdir: ./.bare\n" });
    await has("bare", ["bare", "bare/.bare", "bare/x"]);
  });
});

test("the folder of a repository without a work tree has the sessions of its work trees", async () => {
  await inRepositories(async ({ at, make, has }) => {
    await make({
      "repo/.git": "",
      "repo/bare/HEAD": "ref: refs/heads/main\n",
      "repo/bare/objects": "",
      "repo/bare/hooks": "",
      "repo/bare/worktrees/w/gitdir": at("w/.git"),
    });
    await has("repo/bare", ["repo/bare", "w"]);
    await has("repo/bare/hooks", ["repo/bare", "repo/bare/hooks", "w"]);
    await has("repo", ["repo"]);
  });
});
