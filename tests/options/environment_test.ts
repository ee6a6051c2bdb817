import assert from "node:assert/strict";
import { toEnvironment } from "../../src/options/environment.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";

type Variables = Record<string, string>;

const OURS = {
  CLAUDE_CODE_ENTRYPOINT: "sdk-cli",
  CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
};
test("toEnvironment() knows on Windows that names ignore case", () => {
  const windows = { SystemRoot: "C:\\Windows", "ProgramFiles(x86)": "p" };
  const options: AgentOptions = {
    envPolicy: "allowlist",
    env: { PATH: "D:\\bin" },
  };
  const parent = {
    Path: "C:\\bin",
    Debug: "*",
    node_options: "x",
    Secret: "s",
  };
  assert.deepEqual(
    toEnvironment(resolveOptions(options), { ...parent, ...windows }, "win32"),
    { PATH: "D:\\bin", ...windows, ...OURS },
  );
  const removing = resolveOptions({ env: { path: undefined } });
  assert.deepEqual(toEnvironment(removing, { Path: "x" }, "win32"), OURS);
});
