import assert from "node:assert/strict";
import {
  type AgentOptions,
  type JsonObject,
  memoryApprovals,
} from "@sluice/agent";
import { toEnvironment } from "../../src/options/environment.ts";
import {
  hookSettings,
  keepHooks,
  optionsByHooks,
} from "../../src/options/required_hooks.ts";
import { readPolicy } from "../../src/options/file_mentions.ts";
import { resolveOptions } from "../../src/options/resolve.ts";
import { optionWarnings } from "../../src/options/warnings.ts";
import { test } from "../_harness.ts";
import { configErrorOf, refusal } from "./_config_error.ts";

const BARE = "CLAUDE_CODE_SIMPLE";
const hook = { hooks: [() => ({})] };

/** One of each kind of options that has to hold. */
const GUARDED: readonly (readonly [string, AgentOptions])[] = [
  ["hooks", { hooks: { PostToolUse: [hook] } }],
  ["allowedTools", { allowedTools: [] }],
  ["deniedTools", { deniedTools: "Bash" }],
];

test("optionsByHooks() names what needs hooks", () => {
  for (const [name, options] of GUARDED) {
    assert.deepEqual(optionsByHooks(options), [name]);
  }
  const free: AgentOptions = {
    hooks: { Stop: [], PreToolUse: [{ hooks: [] }] },
    deniedTools: "",
    permissions: { canUseTool: () => ({ behavior: "allow" }) },
  };
  assert.deepEqual(optionsByHooks(free), []);
});

test("the variable of bare mode is not inherited beside hooks and lists", () => {
  for (
    const [platform, name] of [["linux", BARE], [
      "win32",
      "Claude_Code_Simple",
    ]] as const
  ) {
    for (const [, options] of GUARDED) {
      for (const envPolicy of ["inherit", "allowlist"] as const) {
        const settings = resolveOptions({ ...options, envPolicy });
        const env = toEnvironment(settings, { [name]: "1" }, platform);
        assert.ok(!(name in env));
      }
    }
    const free = toEnvironment(resolveOptions({}), { [name]: "1" }, platform);
    assert.equal(free[name], "1");
  }
});

/** Ways to switch hooks off. */
const OFF: readonly (readonly [key: string, AgentOptions])[] = [
  ["extraArgs.bare", { extraArgs: { bare: null } }],
  ["extraArgs.safe-mode", { extraArgs: { "safe-mode": "true" } }],
  [`env.${BARE}`, { env: { [BARE]: " yes " } }],
  ["env.claude_code_simple", { env: { claude_code_simple: "TRUE" } }],
  ...[{ env: { [BARE]: "1" } }, { env: { [BARE]: true } }].flatMap((set) => {
    const settings = set as JsonObject;
    return [
      [`settings.env.${BARE}`, { settings }],
      [`settings.env.${BARE}`, { settings: JSON.stringify(set) }],
      [`managedSettings.env.${BARE}`, { managedSettings: settings }],
    ] as const;
  }),
  ...["disableAllHooks", "allowManagedHooksOnly"].flatMap((name) => {
    const settings = { [name]: true };
    return [
      [`settings.${name}`, { settings }],
      [`settings.${name}`, { settings: JSON.stringify(settings) }],
      [`managedSettings.${name}`, { managedSettings: settings }],
    ] as const;
  }),
];

test("options that switch hooks off are refused beside hooks and lists, in any place", () => {
  for (const [name, options] of GUARDED) {
    for (const [key, off] of OFF) {
      const error = refusal({ ...options, ...off });
      assert.equal(error.key, key);
      assert.match(error.message, new RegExp(`beside "${name}"`));
    }
    for (const value of ["0", "", "false", undefined]) {
      resolveOptions({ ...options, env: { [BARE]: value } });
    }
    resolveOptions({ ...options, settings: { disableAllHooks: false } });
  }
  for (const [, off] of OFF) resolveOptions(off);
});

test("hookSettings() keeps hooks on, and shell lines of skills off beside an allow-list", () => {
  const env = { CLAUDE_CODE_SIMPLE: "" };
  assert.deepEqual(hookSettings({ deniedTools: ["Bash"] }), { env });
  assert.deepEqual(hookSettings({ allowedTools: ["Read"] }), {
    env,
    disableSkillShellExecution: true,
  });
  const mentions = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: "0" };
  assert.deepEqual(hookSettings({ deniedTools: ["Read"] }, mentions), {
    env: { ...env, CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1" },
  });
});

test("hookSettings() leaves shell lines of skills on where the settings say so, with a warning", () => {
  for (const value of [false, true]) {
    const settings = { disableSkillShellExecution: value };
    const options: AgentOptions = { allowedTools: ["Read"], settings };
    assert.equal(
      "disableSkillShellExecution" in hookSettings(options),
      false,
    );
    const warnings = optionWarnings(resolveOptions(options));
    assert.equal(
      warnings.some((one) => one.includes("disableSkillShellExecution")),
      !value,
    );
  }
});

const deny = () => ({ behavior: "deny", message: "no" }) as const;

/** Options that decide about reads, and others that do not. */
const READS: readonly (readonly [
  policy: string | undefined,
  options: AgentOptions,
])[] = [
  [undefined, {}],
  ["allowedTools", { allowedTools: [] }],
  ["allowedTools", { allowedTools: "" }],
  ["allowedTools", { allowedTools: ["Bash", "mcp__files"] }],
  ["allowedTools", { allowedTools: "Grep, Read(src/**)" }],
  [undefined, { allowedTools: ["Read(src/**)", "Read"] }],
  ["deniedTools", { deniedTools: ["Read"] }],
  ["deniedTools", { deniedTools: "Bash,Read(secret/**)" }],
  ["deniedTools", { deniedTools: ["*"] }],
  ["deniedTools", { deniedTools: ["R*"] }],
  ["deniedTools", { deniedTools: ["Re*(secret/**)"] }],
  [undefined, { deniedTools: ["Bash", "Grep(secret)", "Web*", "mcp__*"] }],
  [undefined, { deniedTools: [] }],
  ["tools", { tools: [] }],
  ["tools", { tools: ["Bash"] }],
  ["tools", { tools: ["Bash"], allowedTools: ["Read"] }],
  [undefined, { tools: ["Read"] }],
  [undefined, { tools: { preset: "claude_code" } }],
  ...[undefined, "", "*", ".*", "Read", "Bash|Read", "Grep, Read", "R.ad"]
    .map((matcher) =>
      [
        "hooks",
        { hooks: { PreToolUse: [{ ...hook, matcher }] } },
      ] as const
    ),
  ["hooks", { hooks: { PermissionRequest: [hook] } }],
  ...["Bash", "Bash|Write", "ReadMcpResourceTool"].map((matcher) =>
    [undefined, { hooks: { PreToolUse: [{ ...hook, matcher }] } }] as const
  ),
  [undefined, { hooks: { PreToolUse: [{ hooks: [] }], Stop: [hook] } }],
  ["permissions.canUseTool", { permissions: { canUseTool: deny } }],
  ["permissions.approvals", {
    permissions: { approvals: { store: memoryApprovals() } },
  }],
  [undefined, { permissions: { mode: "acceptEdits", approve: ["Read"] } }],
];

test("mentioned files are left to Read where an option decides about reads, and nowhere else", () => {
  const name = "CLAUDE_CODE_DISABLE_FILE_MENTIONS";
  for (const [policy, options] of READS) {
    const shown = JSON.stringify(options);
    assert.equal(readPolicy(options), policy, shown);
    const off = { [name]: "0" };
    const settings = resolveOptions(options);
    const env = toEnvironment(settings, off, "linux");
    assert.equal(env[name], policy === undefined ? "0" : "1", shown);
    // An own value is the user's word, and the log warns of it.
    for (const own of [{ env: off }, { settings: { env: off } }]) {
      const said = resolveOptions({ ...options, ...own });
      const isOn = toEnvironment(said, {}, "linux")[name] === "1" ||
        "1" === (hookSettings(said.options).env as JsonObject)[name];
      assert.equal(isOn, false, shown);
      const warned = optionWarnings(said).some((one) => one.includes(name));
      assert.equal(warned, policy !== undefined, shown);
    }
    const on = resolveOptions({ ...options, env: { [name]: "1" } });
    for (const quiet of [settings, on]) {
      assert.ok(!optionWarnings(quiet).some((one) => one.includes(name)));
    }
  }
});

test("keepHooks() keeps the variable of bare mode off in settings that are applied later", () => {
  const options: AgentOptions = { allowedTools: [] };
  const lock = {
    CLAUDE_CODE_SIMPLE: "",
    CLAUDE_CODE_DISABLE_FILE_MENTIONS: "1",
  };
  const apply = (settings: JsonObject) =>
    keepHooks(options, "apply_flag_settings", { settings });
  assert.deepEqual(apply({ env: { A: "1" } }), {
    settings: { env: { A: "1", ...lock } },
  });
  const mentions = { CLAUDE_CODE_DISABLE_FILE_MENTIONS: "0" };
  assert.deepEqual(apply({ env: mentions }), { settings: { env: lock } });
  assert.deepEqual(apply({ model: "m" }), { settings: { model: "m" } });
  assert.deepEqual(apply({ env: null }), { settings: { env: lock } });
  for (const subtype of ["apply_flag_settings", "update_settings"]) {
    const settings = { env: { CLAUDE_CODE_SIMPLE: "1" } };
    const error = configErrorOf(() =>
      keepHooks(options, subtype, { settings })
    );
    assert.equal(error.key, "settings.env.CLAUDE_CODE_SIMPLE");
    assert.deepEqual(keepHooks({}, subtype, { settings }), { settings });
  }
  assert.deepEqual(keepHooks(options, "set_model", { model: "m" }), {
    model: "m",
  });
});

test("keepHooks() judges what is written: no subtype but a string, and the fields as JSON has them", () => {
  const options: AgentOptions = { allowedTools: ["Read"] };
  const keep = (subtype: unknown, fields: unknown = {}) =>
    keepHooks(options, subtype as string, fields as JsonObject);
  const disguised = { toJSON: () => "initialize", toString: () => "x" };
  for (
    const subtype of [new String("initialize"), disguised, ["initialize"], null]
  ) {
    assert.equal(configErrorOf(() => keep(subtype)).key, "subtype");
    const free = configErrorOf(() => keepHooks({}, subtype as never));
    assert.match(free.message, /must be a string/);
  }
  const off = { disableAllHooks: true };
  for (
    const settings of [
      { toJSON: () => off },
      { disableAllHooks: { toJSON: () => true } },
      { env: { CLAUDE_CODE_SIMPLE: new String("1") } },
    ]
  ) {
    const error = configErrorOf(() =>
      keep("apply_flag_settings", { settings })
    );
    assert.match(error.key ?? "", /^settings\./);
  }
  const broken = {
    get settings(): never {
      throw new Error("not yet");
    },
  };
  assert.match(
    configErrorOf(() => keep("apply_flag_settings", broken)).message,
    /cannot be written as JSON: not yet/,
  );
  let reads = 0;
  const changing = {
    get disableAllHooks() {
      return reads++ > 0;
    },
  };
  assert.deepEqual(keep("apply_flag_settings", { settings: changing }), {
    settings: { disableAllHooks: false },
  });
  const whole = { model: "m", toJSON: () => ({ subtype: "initialize" }) };
  const kept = keep("set_model", whole);
  assert.deepEqual(JSON.parse(JSON.stringify({ ...kept, subtype: "s" })), {
    model: "m",
    subtype: "s",
  });
});
