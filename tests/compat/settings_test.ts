import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  filterEscalatingDefaultMode,
  type ResolvedSettings,
  resolveSettings,
  type Settings,
} from "@sluice/agent/compat";
import { test } from "../_harness.ts";

/** A project with these settings files. */
async function withProject(
  files: Readonly<Record<string, unknown>>,
  use: (cwd: string) => Promise<void>,
): Promise<void> {
  const cwd = await mkdtemp(join(tmpdir(), "settings-"));
  try {
    await mkdir(join(cwd, ".claude"));
    for (const [name, value] of Object.entries(files)) {
      const text = typeof value === "string" ? value : JSON.stringify(value);
      await writeFile(join(cwd, ".claude", name), text);
    }
    await use(cwd);
  } finally {
    await rm(cwd, { recursive: true, force: true });
  }
}

const FILES: ("project" | "local")[] = ["project", "local"];

test("a later source stands above an earlier one, lists are joined, and each key says where it is from", async () => {
  const files = {
    "settings.json": {
      model: "a",
      permissions: { allow: ["Read", "Edit"], deny: ["Bash"] },
    },
    "settings.local.json": {
      model: "b",
      permissions: { allow: ["Edit", "Grep"] },
    },
  };
  await withProject(files, async (cwd) => {
    const { effective, provenance, sources } = await resolveSettings({
      cwd,
      settingSources: FILES,
    });
    assert.equal(effective.model, "b");
    assert.deepEqual(effective.permissions, {
      allow: ["Read", "Edit", "Grep"],
      deny: ["Bash"],
    });
    assert.deepEqual(
      sources.filter(({ source }) => source !== "managed")
        .map(({ source }) => source),
      FILES,
    );
    assert.equal(provenance["model"]?.source, "local");
    const project = await resolveSettings({ cwd, settingSources: ["project"] });
    assert.equal(project.effective.model, "a");
  });
});

test("a byte order mark before the settings is skipped", async () => {
  const text = '\ufeff{"permissions":{"deny":["Bash"]}}';
  await withProject({ "settings.json": text }, async (cwd) => {
    const { effective } = await resolveSettings({ cwd, settingSources: FILES });
    assert.deepEqual(effective.permissions?.deny, ["Bash"]);
  });
});

test("files that are missing or hold no object are left out", async () => {
  for (const text of ["{odd", "[]", "7"]) {
    await withProject({ "settings.json": text }, async (cwd) => {
      const { sources } = await resolveSettings({ cwd, settingSources: FILES });
      assert.ok(sources.every(({ source }) => source === "managed"));
    });
  }
});

test("settings that a program hands over can forbid and ask, and nothing else", async () => {
  await withProject({}, async (cwd) => {
    const managedSettings: Settings = {
      model: "mine",
      env: { A: "1" },
      permissions: {
        allow: ["Bash"],
        ask: ["Edit"],
        deny: ["Read"],
        defaultMode: "bypassPermissions",
      },
    };
    const { sources } = await resolveSettings({
      cwd,
      settingSources: [],
      managedSettings,
    });
    const [parent] = sources.filter((one) => one.policyOrigin === "parent");
    assert.deepEqual(parent?.settings, {
      permissions: { deny: ["Read"], ask: ["Edit"] },
    });
    const nothing = await resolveSettings({
      cwd,
      settingSources: [],
      managedSettings: { model: "mine" },
      serverManagedSettings: { model: "served" },
    });
    assert.deepEqual(
      nothing.sources.map(({ policyOrigin, settings }) => [
        policyOrigin,
        settings,
      ]).filter(([origin]) => origin !== "file"),
      [["remote", { model: "served" }], ["parent", {}]],
    );
  });
});

test("a mode that asks less is taken from the project's file, and from a local one unless it is acceptEdits", () => {
  type Source = ResolvedSettings["sources"][number]["source"];
  const filtered = (source: Source, defaultMode: string) => {
    const settings = { permissions: { defaultMode } } as Settings;
    const { permissions } = filterEscalatingDefaultMode({
      effective: settings,
      provenance: {},
      sources: [{ source, settings }],
    });
    return permissions?.defaultMode === undefined;
  };
  for (
    const [source, taken] of [
      ["user", []],
      ["project", ["bypassPermissions", "auto", "acceptEdits"]],
      ["local", ["bypassPermissions", "auto"]],
      ["managed", []],
    ] as const
  ) {
    for (
      const mode of [
        "bypassPermissions",
        "auto",
        "acceptEdits",
        "plan",
        "default",
      ]
    ) {
      const isTaken = (taken as readonly string[]).includes(mode);
      assert.equal(filtered(source, mode), isTaken, `${source} ${mode}`);
    }
  }
});

test("the last source that says a mode counts", () => {
  const user = { permissions: { defaultMode: "auto" } } as Settings;
  const project = { model: "a" };
  const resolved: ResolvedSettings = {
    effective: user,
    provenance: {},
    sources: [
      { source: "user", settings: user },
      { source: "project", settings: project },
    ],
  };
  assert.equal(filterEscalatingDefaultMode(resolved), user);
  const careful = { permissions: { defaultMode: "plan" } } as Settings;
  const bold = filterEscalatingDefaultMode({
    ...resolved,
    sources: [
      { source: "user", settings: careful },
      { source: "project", settings: user },
    ],
  });
  assert.deepEqual(bold, { permissions: {} });
});
