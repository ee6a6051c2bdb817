import assert from "node:assert/strict";
import {
  isAbsolutePath,
  isPath,
  parentOf,
  resolvePath,
  upwards,
} from "../../src/process/paths.ts";
import { test } from "../_harness.ts";

test("resolvePath() keeps absolute paths and joins relative ones", () => {
  const cases = [
    ["/home/me", "/opt/claude", "/opt/claude"],
    ["/home/me", "./bin/claude", "/home/me/bin/claude"],
    ["/home/me", "../you/a b/claude", "/home/you/a b/claude"],
    ["/home/me", "../../../..", "/"],
    ["/home/me/", ".", "/home/me"],
    ["/home/me", "back\\slash", "/home/me/back\\slash"],
  ];
  for (const [directory = "", path = "", expected] of cases) {
    assert.equal(resolvePath(directory, path, "linux"), expected);
  }
});

test("resolvePath() takes both kinds of slash on Windows", () => {
  const cases = [
    ["C:\\Users\\me", "bin/claude.exe", "C:\\Users\\me\\bin\\claude.exe"],
    ["C:/Users/me", ".\\bin\\claude.exe", "C:\\Users\\me\\bin\\claude.exe"],
    ["C:\\x", "D:/Program Files/claude.exe", "D:\\Program Files\\claude.exe"],
    ["C:\\Users\\me", "../you\\x", "C:\\Users\\you\\x"],
    ["C:\\", "..", "C:\\"],
    ["C:\\Users", "/tools/claude.exe", "C:\\tools\\claude.exe"],
    ["\\\\server\\share\\a", "..\\..", "\\\\server\\share\\"],
    ["C:\\x", "//server/share/claude.exe", "\\\\server\\share\\claude.exe"],
  ];
  for (const [directory = "", path = "", expected] of cases) {
    assert.equal(resolvePath(directory, path, "win32"), expected);
  }
}, { ids: ["D-12", "E-19", "W-03"] });

test("isAbsolutePath() and isPath() follow the platform", () => {
  assert.equal(isAbsolutePath("/a", "linux"), true);
  assert.equal(isAbsolutePath("C:\\a", "linux"), false);
  assert.equal(isAbsolutePath("C:\\a", "win32"), true);
  assert.equal(isAbsolutePath("c:/a", "win32"), true);
  assert.equal(isAbsolutePath("a\\b", "win32"), false);
  assert.equal(isPath("claude", "darwin"), false);
  assert.equal(isPath("./claude", "darwin"), true);
  assert.equal(isPath("a\\claude", "win32"), true);
  assert.equal(isPath("claude.cmd", "win32"), false);
});

test("upwards() ends at the root", () => {
  assert.deepEqual(upwards("/a/b", "linux"), ["/a/b", "/a", "/"]);
  assert.deepEqual(upwards("C:/a/b", "win32"), ["C:\\a\\b", "C:\\a", "C:\\"]);
  assert.deepEqual(upwards("\\\\s\\share\\a", "win32"), [
    "\\\\s\\share\\a",
    "\\\\s\\share\\",
  ]);
  assert.equal(parentOf("/", "linux"), "/");
});
