import assert from "node:assert/strict";
import { installedVersion } from "../../src/cli/examine.ts";
import { host } from "../_children.ts";
import { type Installations, testPlaces } from "./_installations.ts";

const NPM_PACKAGE = "@anthropic-ai/claude-code";

async function versionAt(
  command: string,
  args: readonly string[] = [],
): Promise<string | undefined> {
  return await installedVersion(await host(), {
    cliPath: command,
    command,
    args,
  });
}

function manifest(
  { file }: Installations,
  folder: string,
  content: unknown,
): Promise<string> {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return file(`${folder}/package.json`, text);
}

testPlaces(
  "the version is read from the package that a program belongs to, through links",
  async (place) => {
    const { link, script } = place;
    await manifest(place, "m/claude-code", {
      name: NPM_PACKAGE,
      version: "2.1.150",
    });
    const native = await script("m/claude-code/bin/claude.exe", "exit 1");
    assert.equal(await versionAt(native), "2.1.150");
    const linked = await link("m/.bin/claude", native);
    assert.equal(await versionAt(linked), "2.1.150");

    await manifest(place, "o/claude-code", {
      name: NPM_PACKAGE,
      version: "2.1.31",
    });
    const old = await script("o/claude-code/cli.js", "exit 1");
    assert.equal(await versionAt(old), "2.1.31");
    assert.equal(await versionAt("/usr/bin/env", ["node", old]), "2.1.31");

    const name = `${NPM_PACKAGE}-linux-x64`;
    await manifest(place, "m/claude-code-linux-x64", {
      name,
      version: "2.1.9",
    });
    const beside = await script("m/claude-code-linux-x64/claude", "exit 1");
    assert.equal(await versionAt(beside), "2.1.9");
  },
);

testPlaces(
  "the version is read from the path of a native installation",
  async ({ link, script }) => {
    const real = await script("share/claude/versions/2.1.328", "exit 1");
    const linked = await link("bin/claude", real);
    assert.equal(await versionAt(linked), "2.1.328");
    const cask = await script("Caskroom/claude-code/2.1.300/claude", "exit 1");
    assert.equal(await versionAt(cask), "2.1.300");
  },
);

testPlaces(
  "a program that belongs to no package of the CLI has no version, and is not started",
  async (place) => {
    const { at, script } = place;
    const wrapper = await script("bin/claude", `touch "${at("started")}"`);
    assert.equal(await versionAt(wrapper), undefined);
    for (
      const content of [
        { name: "my-tool", version: "1.0.0" },
        { name: "@anthropic-ai/claude-codex", version: "1.0.0" },
        { name: NPM_PACKAGE },
        { name: NPM_PACKAGE, version: 7 },
        { name: 7, version: "1.0.0" },
        "null",
        "[]",
        "{",
      ]
    ) {
      await manifest(place, "bin", content);
      assert.equal(
        await versionAt(wrapper),
        undefined,
        JSON.stringify(content),
      );
    }
    assert.equal(await versionAt(at("nothing")), undefined);
    const { files } = await host();
    assert.equal(await files.status(at("started")), undefined);
  },
);
