import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { asksForVersion } from "../../src/options/features.ts";
import { excessOf } from "../../src/options/command_length.ts";
import { toArgv } from "../../src/options/argv.ts";
import { type AgentOptions, memoryApprovals } from "@sluice/agent";
import { test } from "../_harness.ts";
import { ALWAYS } from "./_sent.ts";

const canUseTool = () => ({ behavior: "allow" as const });
const HOOKED: AgentOptions = {
  hooks: { PreToolUse: [{ hooks: [() => ({})] }] },
};

function argv(options: AgentOptions, platform = "linux"): string[] {
  return toArgv(resolveOptions(options), platform);
}

test("toArgv() writes directories with slashes on Windows", () => {
  const options = {
    additionalDirectories: ["C:\\Users\\me\\my dir", "\\\\srv\\x"],
  };
  assert.deepEqual(argv(options, "win32").slice(5), [
    "--add-dir=C:/Users/me/my dir",
    "--add-dir=//srv/x",
  ]);
  assert.equal(argv(options, "linux")[5], "--add-dir=C:\\Users\\me\\my dir");
}, { ids: ["E-18", "E-19"] });

test("toArgv() gives an older CLI flags that it knows", () => {
  const settings = resolveOptions({
    thinking: { type: "disabled" },
    settings: { model: "opus" },
    plugins: [{ type: "local", path: "/p" }],
    mcpServers: { srv: { command: "srv", via: "cli" } },
  });
  const files = { settings: "/f/settings.json", mcpConfig: "/f/mcp.json" };
  const of = (version: string, files = {}) =>
    toArgv(settings, "linux", version, files).slice(ALWAYS.length);
  assert.deepEqual(of("2.1.261", files), [
    "--thinking=disabled",
    "--settings=/f/settings.json",
    "--mcp-config=/f/mcp.json",
    "--await-initialize",
  ]);
  assert.deepEqual(of("2.1.326", { settings: files.settings }), [
    "--thinking=disabled",
    "--settings=/f/settings.json",
    "--await-initialize",
  ]);
  assert.deepEqual(of("2.1.327"), [
    "--thinking=disabled",
    "--initialize-fields=settings",
    "--await-initialize",
  ]);
});

test("toArgv() denies an older CLI all reads where the lists allow none: it reads mentioned files past hooks", () => {
  const of = (options: AgentOptions, version?: string) =>
    toArgv(resolveOptions(options), "linux", version)
      .filter((flag) => flag.startsWith("--disallowedTools"));
  const rule = "Read(//**)";
  assert.deepEqual(of({ allowedTools: ["mcp__a"] }, "2.1.298"), [
    `--disallowedTools=${rule}`,
  ]);
  assert.deepEqual(of({ tools: [] }, "2.1.298"), [`--disallowedTools=${rule}`]);
  assert.deepEqual(of({ deniedTools: ["Read"] }, "2.1.298"), [
    `--disallowedTools=Read,${rule}`,
  ]);
  for (
    const options of [
      { allowedTools: ["mcp__a", "Read"] },
      { allowedTools: ["mcp__a", "Read(src/**)"] },
      { deniedTools: [] },
    ] satisfies AgentOptions[]
  ) {
    assert.deepEqual(of(options, "2.1.298"), []);
  }
  for (const current of ["2.1.299", undefined]) {
    assert.deepEqual(of({ allowedTools: ["mcp__a"] }, current), []);
  }
});

test("toArgv() has an older CLI ask that would begin in mode auto", () => {
  const of = (version: string | undefined, mode?: "plan") =>
    toArgv(
      resolveOptions({ permissions: { canUseTool, ...mode && { mode } } }),
      "linux",
      version,
    ).filter((flag) => flag.startsWith("--permission-mode"));
  assert.deepEqual(of("2.1.300"), ["--permission-mode=default"]);
  assert.deepEqual(of("2.1.300", "plan"), ["--permission-mode=plan"]);
  for (const version of ["2.1.270", "2.1.326", undefined, "banana"]) {
    assert.deepEqual(of(version), [], version);
  }
  const permissions = { approvals: { store: memoryApprovals() } };
  assert.ok(
    toArgv(resolveOptions({ permissions }), "linux", "2.1.300")
      .includes("--permission-mode=default"),
  );
});

test("toArgv() has a CLI that resumes a session read the hooks before it judges a deferred call", () => {
  const of = (options: AgentOptions, version?: string) =>
    toArgv(resolveOptions(options), "linux", version)
      .filter((flag) => /initialize|settings/.test(flag));
  const read = ["--initialize-fields=settings", "--await-initialize"];
  for (const past of [{ resume: "s" }, { continue: true }]) {
    for (const options of [HOOKED, { allowedTools: ["Read"] }]) {
      assert.deepEqual(of({ ...past, ...options }), read);
    }
    assert.deepEqual(of({ ...past, ...HOOKED }, "2.1.326"), read.slice(1));
    assert.deepEqual(of({ ...past, ...HOOKED, settings: "/s.json" }), [
      "--settings=/s.json",
      "--await-initialize",
    ]);
    assert.deepEqual(of(past), []);
  }
  assert.deepEqual(of(HOOKED), []);
});

test("the version of the CLI is asked for only where the command line depends on it", () => {
  const asking: readonly AgentOptions[] = [
    { projectConfigRoot: "/p" },
    { settings: { model: "opus" } },
    { sandbox: { enabled: true } },
    { mcpServers: { srv: { command: "srv", via: "cli" } } },
    { permissions: { canUseTool } },
    { tools: [] },
    { ...HOOKED, resume: "s" },
  ];
  const plain: readonly AgentOptions[] = [
    {},
    { plugins: [{ type: "local", path: "/p" }], tools: ["Read"] },
    { allowedTools: ["Read"], effort: "low", includeHookEvents: true },
    { settings: "/etc/settings.json", systemPrompt: "Be brief." },
    { mcpServers: { srv: { command: "srv" } } },
    { permissions: { mode: "plan", canUseTool } },
    HOOKED,
    { resume: "s" },
  ];
  for (const options of [...asking, ...plain]) {
    const shown = JSON.stringify(options);
    assert.equal(asksForVersion(options), asking.includes(options), shown);
  }
});

test("excessOf() lets the longest command pass that a system starts, and none longer", () => {
  const isTooLong = (command: readonly string[], platform: string) =>
    excessOf(command, platform) !== undefined;
  // Of Windows each argument takes a blank and two quotes as well, and a backslash for each quote.
  const windows = "x".repeat(32_767 - 3);
  const linux = "x".repeat(131_071);
  for (const longest of [windows, windows.replace("xx", '"')]) {
    assert.ok(!isTooLong([longest], "win32"));
    assert.ok(isTooLong([`${longest}x`], "win32"));
  }
  assert.ok(!isTooLong(["\\a".repeat(15_000)], "win32"));
  assert.ok(!isTooLong([linux, linux], "linux"));
  assert.equal(excessOf(["a", `${linux}x`], "linux")?.at, 1);
  assert.ok(!isTooLong([`${linux}x`], "darwin"));
});
