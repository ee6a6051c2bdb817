import assert from "node:assert/strict";
import { toEnvironment } from "../../src/options/environment.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";

const OURS = {
  CLAUDE_CODE_ENTRYPOINT: "sdk-cli",
  CLAUDE_CODE_SDK_READS_SESSION_STATE: "1",
};

function environment(
  options: AgentOptions,
  parent: Record<string, string> = {},
  platform = "linux",
): Record<string, string> {
  return toEnvironment(resolveOptions(options), parent, platform);
}

test("toEnvironment() inherits everything but what would change the CLI", () => {
  const parent = {
    PATH: "/bin",
    MY_TOKEN: "t",
    CLAUDECODE: "1",
    NODE_OPTIONS: "--inspect",
    DEBUG: "*",
  };
  assert.deepEqual(environment({}, parent), {
    PATH: "/bin",
    MY_TOKEN: "t",
    ...OURS,
  });
});

test("toEnvironment() merges env over what it inherits", () => {
  const env = {
    A: "mine",
    B: undefined,
    C: "",
    NODE_OPTIONS: "--max-old-space-size=1",
  };
  assert.deepEqual(environment({ env }, { A: "theirs", B: "b", D: "d" }), {
    A: "mine",
    D: "d",
    ...OURS,
    C: "",
    NODE_OPTIONS: "--max-old-space-size=1",
  });
});

test("toEnvironment() lets env say something else about ours", () => {
  const env = {
    CLAUDE_CODE_ENTRYPOINT: "app",
    CLAUDE_CODE_SDK_READS_SESSION_STATE: undefined,
  };
  assert.deepEqual(environment({ env }), { CLAUDE_CODE_ENTRYPOINT: "app" });
  const parent = { CLAUDE_CODE_ENTRYPOINT: "outer" };
  assert.equal(environment({}, parent).CLAUDE_CODE_ENTRYPOINT, "outer");
});

test("toEnvironment() replaces the environment by env alone", () => {
  const options: AgentOptions = { envPolicy: "replace", env: { A: "1" } };
  assert.deepEqual(environment(options, { PATH: "/bin", B: "2" }), {
    A: "1",
    ...OURS,
  });
});

test("toEnvironment() inherits by a list of names", () => {
  const kept = {
    PATH: "/bin",
    HOME: "/h",
    USER: "u",
    LOGNAME: "u",
    SHELL: "/bin/sh",
    TERM: "xterm",
    LANG: "C",
    LC_ALL: "C",
    LC_CTYPE: "C",
    TZ: "UTC",
    TMPDIR: "/t",
    HTTPS_PROXY: "p",
    https_proxy: "p",
    NO_PROXY: "n",
    no_proxy: "n",
    SSL_CERT_FILE: "c",
    NODE_EXTRA_CA_CERTS: "c",
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: "u",
    CLAUDE_CONFIG_DIR: "/c",
    CLAUDE_CODE_USE_BEDROCK: "1",
    AWS_PROFILE: "a",
    GOOGLE_APPLICATION_CREDENTIALS: "g",
  };
  const dropped = {
    GITHUB_TOKEN: "g",
    MY_LANG: "x",
    path: "lower case is another name",
    SYSTEMROOT: "C:\\Windows",
    CLAUDECODE: "1",
    DEBUG: "*",
    LD_PRELOAD: "x",
  };
  const env = { EXTRA: "e" };
  assert.deepEqual(
    environment({ envPolicy: "allowlist", env }, { ...kept, ...dropped }),
    { ...kept, ...OURS, ...env },
  );
});

test("toEnvironment() knows on Windows that names ignore case", () => {
  const parent = {
    Path: "C:\\bin",
    SystemRoot: "C:\\Windows",
    Debug: "*",
    node_options: "x",
    "ProgramFiles(x86)": "p",
    Secret: "s",
  };
  const options: AgentOptions = {
    envPolicy: "allowlist",
    env: { PATH: "D:\\bin" },
  };
  assert.deepEqual(environment(options, parent, "win32"), {
    PATH: "D:\\bin",
    SystemRoot: "C:\\Windows",
    "ProgramFiles(x86)": "p",
    ...OURS,
  });
  const removed = environment(
    { env: { path: undefined } },
    { Path: "x" },
    "win32",
  );
  assert.deepEqual(removed, OURS);
});

test("toEnvironment() asks for file checkpoints when they are wanted", () => {
  const name = "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING";
  assert.equal(environment({ enableFileCheckpointing: true })[name], "true");
  assert.ok(!(name in environment({ enableFileCheckpointing: false })));
});

test("toEnvironment() says what previews of questions are written in, and what env says wins", () => {
  const name = "CLAUDE_CODE_QUESTION_PREVIEW_FORMAT";
  const toolConfig = { askUserQuestion: { previewFormat: "html" } } as const;
  assert.equal(environment({ toolConfig })[name], "html");
  assert.equal(environment({ toolConfig, env: { [name]: "x" } })[name], "x");
  for (const none of [{}, { toolConfig: {} }]) {
    assert.ok(!(name in environment(none)));
  }
});

test("toEnvironment() leaves the parent's record alone", () => {
  const parent = Object.freeze({ A: "1", DEBUG: "x" });
  environment({ env: { A: undefined, B: "2" } }, parent);
  assert.deepEqual(parent, { A: "1", DEBUG: "x" });
});
