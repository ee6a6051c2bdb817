import assert from "node:assert/strict";
import { possibleCommands } from "../../src/options/shell_command.ts";
import { test } from "../_harness.ts";

const isRemoval = (command: string) =>
  possibleCommands(command).some((one) => /^rm(?:[ \t]|$)/.test(one));

test("a command that is denied is found wherever one may begin", () => {
  for (
    const line of [
      ">x rm y",
      "2>&1 rm y",
      "! rm x",
      "time rm x",
      "\\rm x",
      "X=1 rm x",
      "if true; then rm x; fi",
      "$(echo rm) x",
      "alias x=rm; x",
      "a=rm; $a x",
      "command rm x",
      "env rm x",
      "find . -exec rm {} +",
      "{rm,x}",
      "ls | xargs rm",
      "bash -c 'rm x'",
      "sudo -n rm x",
      "r''m x; $y",
      "r''m x",
    ]
  ) assert.equal(isRemoval(line), true, line);
  for (
    const line of ["echo rm", "git log rm", "ls; echo 'then rm'", "rmdir x"]
  ) {
    assert.equal(isRemoval(line), line.includes("then"), line);
  }
});
