import assert from "node:assert/strict";
import { toEnvironment } from "../../src/options/environment.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { type AgentOptions, memoryApprovals } from "@sluice/agent";
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

test('envPolicy "allowlist" hands on telemetry, and where the files of the CLI are', () => {
  const known = {
    CLAUDE_CONFIG_DIR: "/own",
    CLAUDE_CODE_PROJECT_DIR_NAME: "shared",
    CLAUDE_CODE_ENABLE_TELEMETRY: "1",
    CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://localhost:4318",
    OTEL_TRACES_EXPORTER: "otlp",
    TRACEPARENT: "00-1-2-01",
    TRACESTATE: "vendor=1",
  };
  assert.deepEqual(
    toEnvironment(
      resolveOptions({ envPolicy: "allowlist" }),
      { ...known, HOTEL_KEY: "1", TRACE: "1" },
      "linux",
    ),
    { ...known, ...OURS },
  );
});

test("a resumed session runs no deferred call, unless approvals, a hook or the user's own variable decide about it", () => {
  const name = "CLAUDE_CODE_DISABLE_DEFERRED_TOOL_RESUME";
  const hook = () => ({});
  const cases: readonly (readonly [string | undefined, AgentOptions])[] = [
    ["1", { resume: "s" }],
    ["1", { continue: true }],
    ["1", { resume: "s", hooks: { PreToolUse: [{ hooks: [] }] } }],
    ["1", { resume: "s", hooks: { PostToolUse: [{ hooks: [hook] }] } }],
    ["1", {
      resume: "s",
      allowedTools: ["Bash"],
      permissions: { canUseTool: () => ({ behavior: "allow" }) },
    }],
    [undefined, {}],
    [undefined, { continue: false }],
    [undefined, {
      resume: "s",
      permissions: { approvals: { store: memoryApprovals() } },
    }],
    [undefined, { resume: "s", hooks: { PreToolUse: [{ hooks: [hook] }] } }],
    ["0", { resume: "s", env: { [name]: "0" } }],
  ];
  for (const [value, options] of cases) {
    const env = toEnvironment(resolveOptions(options), {}, "linux");
    assert.equal(env[name], value, JSON.stringify(options));
  }
});
