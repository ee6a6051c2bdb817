import assert from "node:assert/strict";
import { isShim, readShim } from "../../src/cli/program.ts";
import { test } from "../_harness.ts";

const SHIM = "C:\\Users\\a b\\AppData\\Roaming\\npm\\claude.cmd";
const FOLDER = "C:\\Users\\a b\\AppData\\Roaming\\npm";
const PACKAGE = "node_modules\\@anthropic-ai\\claude-code";

const NPM_HEAD = `@ECHO off\r
GOTO start\r
:find_dp0\r
SET dp0=%~dp0\r
EXIT /b\r
:start\r
SETLOCAL\r
CALL :find_dp0\r
`;

test("readShim() finds the program behind npm's command file", () => {
  const text = NPM_HEAD + `"%dp0%\\${PACKAGE}\\bin\\claude.exe"   %*\r\n`;
  assert.deepEqual(readShim(SHIM, text, "win32"), {
    path: `${FOLDER}\\${PACKAGE}\\bin\\claude.exe`,
    isScript: false,
  });
}, { ids: ["D-06", "W-02", "W-03"] });

test("readShim() finds the script behind npm's command file", () => {
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
  assert.deepEqual(readShim(SHIM, text, "win32"), {
    path: `${FOLDER}\\${PACKAGE}\\cli.js`,
    isScript: true,
  });
}, { ids: ["D-06", "W-02"] });

test(
  "readShim() finds the script behind the command files of pnpm and yarn",
  () => {
    const text = `@SETLOCAL\r
@IF EXIST "%~dp0\\node.exe" (\r
  "%~dp0\\node.exe"  "%~dp0\\..\\x\\cli.js" %*\r
) ELSE (\r
  @SET PATHEXT=%PATHEXT:;.JS;=;%\r
  node  "%~dp0\\..\\x\\cli.js" %*\r
)\r
`;
    assert.deepEqual(readShim("C:\\p\\.bin\\claude.CMD", text, "win32"), {
      path: "C:\\p\\x\\cli.js",
      isScript: true,
    });
  },
  { ids: ["D-06", "W-02"] },
);

test("readShim() knows nothing of other command files", () => {
  const text = "@echo off\r\nvolta run %~n0 %*\r\n";
  assert.equal(readShim(SHIM, text, "win32"), undefined);
});

test("isShim() tells command files of Windows", () => {
  assert.equal(isShim("C:\\x\\claude.CMD", "win32"), true);
  assert.equal(isShim("C:\\x\\claude.bat", "win32"), true);
  assert.equal(isShim("C:\\x\\claude.exe", "win32"), false);
  assert.equal(isShim("/x/claude.cmd", "linux"), false);
});
