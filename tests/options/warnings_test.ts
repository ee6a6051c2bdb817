import assert from "node:assert/strict";
import { resolveOptions } from "../../src/options/resolve.ts";
import { modeWarning, optionWarnings } from "../../src/options/warnings.ts";
import type { AgentOptions } from "@sluice/agent";
import { test } from "../_harness.ts";
import { refusal } from "./_config_error.ts";

function warnings(options: AgentOptions): readonly string[] {
  return optionWarnings(resolveOptions(options));
}

const canUseTool = () => ({ behavior: "allow" as const });

test("optionWarnings() is silent about options that work", () => {
  assert.deepEqual(warnings({}), []);
  assert.deepEqual(
    warnings({
      hooks: { PreToolUse: [] },
      permissions: { canUseTool, mode: "plan" },
      mcpServers: { a: { command: "x", connectTimeoutMs: 1 } },
    }),
    [],
  );
});

test("optionWarnings() names hooks, callbacks and timeouts without effect", () => {
  const permissions = { canUseTool, mode: "dontAsk" } as const;
  const docs = { command: "x", via: "cli", connectTimeoutMs: 1 } as const;
  const hooks = { SessionStart: [], Setup: [], Stop: [] };
  const found = warnings({ hooks, permissions, mcpServers: { docs } });
  assert.equal(found.length, 4);
  const about = [/SessionStart/, /Setup/, /"dontAsk"/, /mcpServers\.docs/];
  about.forEach((text, at) => assert.match(found[at] ?? "", text));
});

test("modeWarning() names a mode that no option set, where calls run without a question", () => {
  const bypass = "bypassPermissions";
  const settings = { permissions: { defaultMode: bypass } } as const;
  const permissions = { canUseTool };
  const own = /"bypassPermissions", by settings\.permissions\.defaultMode: /;
  for (const one of [settings, JSON.stringify(settings)]) {
    const found = modeWarning({ permissions, settings: one }, bypass) ?? "";
    assert.match(found, own);
    assert.match(found, /canUseTool is asked only .* set permissions\.mode/);
    assert.match(modeWarning({ settings: one }, bypass) ?? "", own);
  }
  for (const given of [{}, { permissions }, { settings: "/path.json" }]) {
    assert.match(modeWarning(given, bypass) ?? "", /of a settings file/);
  }
  assert.match(modeWarning({ permissions }, "dontAsk") ?? "", /never asked/);
  assert.equal(modeWarning({}, "dontAsk"), undefined);
  assert.equal(modeWarning({ permissions }, "default"), undefined);
  assert.equal(modeWarning({ permissions }, undefined), undefined);
  const allowBypass = true;
  assert.equal(
    modeWarning({ permissions: { allowBypass } }, bypass),
    undefined,
  );
  const chosen = {
    permissions: { canUseTool, allowBypass, mode: bypass },
  } as const;
  assert.equal(modeWarning(chosen, bypass), undefined);
});

test("optionWarnings() names matchers of hooks that are rules, and so fit no name", () => {
  const of = (matcher: string) =>
    warnings({ hooks: { PreToolUse: [{ matcher, hooks: [() => ({})] }] } });
  for (const rule of ["Bash(rm:*)", "Bash(git *)", "Read(src/*)"]) {
    const [warning = "", ...more] = of(rule);
    assert.deepEqual(more, []);
    assert.ok(warning.includes(`the matcher "${rule}"`), warning);
  }
  for (const name of ["", "*", "Bash|Edit", "Web(.*)", "mcp__(a|b)__.*"]) {
    assert.deepEqual(of(name), [], name);
  }
});

test("optionWarnings() names unknown tools", () => {
  const denied = warnings({ deniedTools: "Quux, Bash(rm:*), mcp__x, Web*" });
  assert.deepEqual(denied, ['deniedTools names the unknown tool "Quux"']);
  const others = warnings({
    allowedTools: ["Task", "Skill(pdf)", "Zzz(x)", "KillBash", "Mybox"],
    toolAliases: { Mybox: "Bash" },
    tools: ["Frobnicate"],
    permissions: { approve: ["Xyzzy"] },
  });
  assert.match(others.join("\n"), /^allowedTools .*"Zzz"\n.*"Xyz.*\n.*"Frob/);
});

test("a mistyped tool is refused in every list, with the one that was meant", () => {
  const lists: readonly (readonly [
    key: string,
    options: (name: string) => AgentOptions,
  ])[] = [
    ["allowedTools", (name) => ({ allowedTools: ["Read", name] })],
    ["deniedTools", (name) => ({ deniedTools: `Read,${name}` })],
    ["permissions.approve", (name) => ({ permissions: { approve: [name] } })],
    ["agents.helper.disallowedTools", (name) => ({
      agents: {
        helper: { description: "x", prompt: "x", disallowedTools: [name] },
      },
    })],
  ];
  const typos = {
    bash: "Bash",
    BASH: "Bash",
    Bsah: "Bash",
    "bash(rm:*)": "Bash",
    webfetch: "WebFetch",
    Raed: "Read",
    task_create: "TaskCreate",
  };
  for (const [key, options] of lists) {
    for (const [name, meant] of Object.entries(typos)) {
      const error = refusal(options(name));
      assert.equal(error.key, key);
      assert.ok(error.message.includes(`did you mean "${meant}"?`), name);
      assert.ok(error.message.includes(name));
    }
    for (const name of ["frobnicate", "MCP__x", "x-y", "Ünknown"]) {
      const error = refusal(options(name));
      assert.equal(error.key, key, name);
    }
    const fine = ["Bash(git:*)", "mcp__any__thing", "Task", "MultiEdit"];
    for (const name of [...fine, "Quux", "QuuxFrob2"]) {
      resolveOptions(options(name));
    }
  }
  assert.equal(refusal({ tools: ["Bahs"] }).key, "tools");
  for (const name of ["bash*", "Xyz*", "*sah"]) {
    assert.equal(refusal({ deniedTools: [name] }).key, "deniedTools", name);
  }
  for (const name of ["*", "Ba*", "Web*", "B*sh"]) {
    resolveOptions({ deniedTools: [name] });
  }
  resolveOptions({ toolAliases: { box: "mcp__b__x" }, deniedTools: ["box"] });
});
