import assert from "node:assert/strict";
import { examine, installedVersion } from "../../src/cli/examine.ts";
import { prepareSearch } from "../../src/cli/search.ts";
import { host } from "../_children.ts";
import { test } from "../_harness.ts";
import { type Installations, testPlaces } from "./_installations.ts";
import { windowsHost } from "./_windows.ts";

const SHIM = "C:\\Users\\a b\\AppData\\Roaming\\npm\\claude.cmd";
const FOLDER = "C:\\Users\\a b\\AppData\\Roaming\\npm";
const PACKAGE = "node_modules\\@anthropic-ai\\claude-code";

const NODE = "C:\\node\\node.exe";

/** What is started for a file with the given text, among others that are there; the reason when nothing is. */
async function startOf(
  path: string,
  text: string,
  others: readonly string[] = [],
  platform: string = "win32",
) {
  const files = [...others, NODE].map((file) => [file, "MZ"]);
  const windows = await windowsHost(
    { [path]: text, ...Object.fromEntries(files) },
    { PATH: "C:\\node" },
  );
  const host = { ...windows, platform };
  const { place } = await prepareSearch(host, {});
  const candidate = { path, source: "path" } as const;
  const { attempt, program } = await examine(host, place, candidate);
  return program ?? attempt.reason;
}

const NPM_HEAD = `@ECHO off\r
GOTO start\r
:find_dp0\r
SET dp0=%~dp0\r
EXIT /b\r
:start\r
SETLOCAL\r
CALL :find_dp0\r
`;

test("readShim() finds the program behind npm's command file", async () => {
  const text = NPM_HEAD + `"%dp0%\\${PACKAGE}\\bin\\claude.exe"   %*\r\n`;
  const cliPath = `${FOLDER}\\${PACKAGE}\\bin\\claude.exe`;
  const started = await startOf(SHIM, text, [cliPath]);
  assert.deepEqual(started, { cliPath, command: cliPath, args: [] });
}, { ids: ["D-06", "W-02", "W-03"] });

test("readShim() finds the script behind npm's command file", async () => {
  const text = NPM_HEAD + `\r
IF EXIST "%dp0%\\node.exe" (\r
  SET "_prog=%dp0%\\node.exe"\r
) ELSE (\r
  SET "_prog=node"\r
  SET PATHEXT=%PATHEXT:;.JS;=;%\r
)\r
\r
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\${PACKAGE}\\cli.js" %*\r
`;
  const cliPath = `${FOLDER}\\${PACKAGE}\\cli.js`;
  const started = await startOf(SHIM, text, [cliPath]);
  assert.deepEqual(started, { cliPath, command: NODE, args: [cliPath] });
}, { ids: ["D-06", "W-02"] });

test(
  "readShim() finds the script behind the command files of pnpm and yarn",
  async () => {
    const text = `@SETLOCAL\r
@IF EXIST "%~dp0\\node.exe" (\r
  "%~dp0\\node.exe"  "%~dp0\\..\\x\\cli.js" %*\r
) ELSE (\r
  @SET PATHEXT=%PATHEXT:;.JS;=;%\r
  node  "%~dp0\\..\\x\\cli.js" %*\r
)\r
`;
    const cliPath = "C:\\p\\x\\cli.js";
    const started = await startOf("C:\\p\\.bin\\claude.CMD", text, [cliPath]);
    assert.deepEqual(started, { cliPath, command: NODE, args: [cliPath] });
  },
  { ids: ["D-06", "W-02"] },
);

test("readShim() knows nothing of other command files", async () => {
  const text = "@echo off\r\nvolta run %~n0 %*\r\n";
  assert.match(`${await startOf(SHIM, text)}`, /this one names no program/);
});

test("isShim() tells command files of Windows", async () => {
  const cases = [
    ["C:\\x\\claude.CMD", "win32", true],
    ["C:\\x\\claude.bat", "win32", true],
    ["C:\\x\\claude.exe", "win32", false],
    ["/x/claude.cmd", "linux", false],
  ] as const;
  for (const [path, platform, isShim] of cases) {
    const started = await startOf(path, "MZ", [], platform);
    if (isShim) assert.match(`${started}`, /only a shell can start a command/);
    else assert.deepEqual(started, { cliPath: path, command: path, args: [] });
  }
});

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
