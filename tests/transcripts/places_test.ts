import assert from "node:assert/strict";
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { host } from "../_children.ts";
import {
  configFolder,
  projectKey,
  projectKeysOf,
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

test("CLAUDE_CONFIG_DIR is composed, and the working directory where it is empty", async () => {
  const real = await host();
  for (
    const [value, folder] of [
      [`/${NFD}`, `/${NFC}`],
      ["", real.cwd()],
      [undefined, "/home/ada/.claude"],
    ]
  ) {
    const env = { HOME: "/home/ada", CLAUDE_CONFIG_DIR: value };
    assert.equal(configFolder(real, env), folder);
  }
});

test("a directory inside of a repository has the sessions of all its work trees", async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "places-")));
  try {
    const at = (path: string) => join(folder, path);
    for (const path of ["repo/.git/worktrees/w", "repo/a/b", "w/a", "none"]) {
      await mkdir(at(path), { recursive: true });
    }
    await writeFile(at("repo/.git/worktrees/w/gitdir"), at("w/.git\n"));
    await writeFile(at("w/.git"), `gitdir: ${at("repo/.git/worktrees/w")}\n`);
    const real = await host();
    const keys = async (cwd: string, includeWorktrees = true) =>
      [
        ...await projectKeysOf(real, {
          ...{ projects: "", cwd: at(cwd), includeWorktrees },
        }),
      ].sort();
    const named = async (...paths: readonly string[]) =>
      (await Promise.all(paths.map((path) => projectKey(real, at(path)))))
        .sort();
    assert.deepEqual(
      await keys("repo/a/b"),
      await named("repo", "repo/a/b", "w"),
    );
    assert.deepEqual(await keys("w/a"), await named("repo", "w", "w/a"));
    assert.deepEqual(await keys("repo/a", false), await named("repo/a"));
    assert.deepEqual(await keys("none"), await named("none"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
