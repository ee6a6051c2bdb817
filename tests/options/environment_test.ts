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
const CHECKPOINTS = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
const PREVIEWS = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";
const html = { askUserQuestion: { previewFormat: "html" } } as const;

/** Names that an allow-list keeps, and others that it does not. */
const KEPT = "PATH HOME USER LOGNAME SHELL TERM LANG LC_ALL TZ TMPDIR " +
  "HTTPS_PROXY https_proxy NO_PROXY no_proxy SSL_CERT_FILE AWS_PROFILE " +
  "NODE_EXTRA_CA_CERTS ANTHROPIC_API_KEY ANTHROPIC_BASE_URL " +
  "CLAUDE_CONFIG_DIR CLAUDE_CODE_USE_BEDROCK GOOGLE_APPLICATION_CREDENTIALS";
const DROPPED = "GITHUB_TOKEN MY_LANG path SYSTEMROOT CLAUDECODE DEBUG " +
  "LD_PRELOAD";

function variables(names: string): Variables {
  return Object.fromEntries(names.split(" ").map((name) => [name, "x"]));
}

/** Options, the variables of this program, and those of the CLI beside ours. */
const CASES: readonly (readonly [AgentOptions, Variables, Variables])[] = [
  [
    {},
    { A: "1", MY_TOKEN: "t", ...variables("CLAUDECODE NODE_OPTIONS DEBUG") },
    {
      A: "1",
      MY_TOKEN: "t",
    },
  ],
  [
    { env: { A: "mine", B: undefined, C: "", NODE_OPTIONS: "--own" } },
    { A: "theirs", B: "b", D: "d" },
    { A: "mine", D: "d", C: "", NODE_OPTIONS: "--own" },
  ],
  [{}, { CLAUDE_CODE_ENTRYPOINT: "outer" }, {
    CLAUDE_CODE_ENTRYPOINT: "outer",
  }],
  [{ env: { CLAUDE_CODE_ENTRYPOINT: "app" } }, {}, {
    CLAUDE_CODE_ENTRYPOINT: "app",
  }],
  [{ envPolicy: "replace", env: { A: "1" } }, { PATH: "/bin" }, { A: "1" }],
  [
    { envPolicy: "allowlist", env: { EXTRA: "e" } },
    variables(`${KEPT} ${DROPPED}`),
    { ...variables(KEPT), EXTRA: "e" },
  ],
  [{ enableFileCheckpointing: true }, {}, { [CHECKPOINTS]: "true" }],
  [{ enableFileCheckpointing: false }, {}, {}],
  [{ toolConfig: html }, {}, { [PREVIEWS]: "html" }],
  [{ toolConfig: html, env: { [PREVIEWS]: "x" } }, {}, { [PREVIEWS]: "x" }],
  [{ toolConfig: {} }, {}, {}],
];

test("toEnvironment() inherits by the policy, and what env says wins", () => {
  for (const [options, parent, expected] of CASES) {
    const env = toEnvironment(
      resolveOptions(options),
      Object.freeze(parent),
      "linux",
    );
    assert.deepEqual(env, { ...OURS, ...expected });
  }
  const unset = { CLAUDE_CODE_SDK_READS_SESSION_STATE: undefined };
  const env = toEnvironment(resolveOptions({ env: unset }), {}, "linux");
  assert.deepEqual(env, { CLAUDE_CODE_ENTRYPOINT: "sdk-cli" });
});

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
