import type { Model, Program } from "../_program.ts";
import { mkdirSync, writeFileSync } from "node:fs";
import process from "node:process";

export const model: Model = [];

const program: Program = async (
  { resolveSettings, filterEscalatingDefaultMode, matchDeniedModels },
  place,
) => {
  const { options, print } = place;

  process.env["CLAUDE_CONFIG_DIR"] = `${options.env["HOME"]}/.claude`;
  for (
    const folder of [`${options.env["HOME"]}/.claude`, `${options.cwd}/.claude`]
  ) mkdirSync(folder, { recursive: true });
  const write = (path: string, value: object) =>
    writeFileSync(path, JSON.stringify(value));
  write(`${options.env["HOME"]}/.claude/settings.json`, {
    model: "a",
    permissions: { allow: ["Read"], defaultMode: "auto" },
    env: { A: "1" },
  });
  write(`${options.cwd}/.claude/settings.json`, {
    permissions: {
      allow: ["Write", "Read"],
      deny: ["X"],
      defaultMode: "acceptEdits",
    },
    env: { B: "2" },
  });
  write(`${options.cwd}/.claude/settings.local.json`, { env: { A: "3" } });
  const resolved = await resolveSettings({ cwd: options.cwd });
  print(resolved.effective);
  print(resolved.provenance);
  print(resolved.sources.map(({ source, path }) => [source, path]));
  print(filterEscalatingDefaultMode(resolved));
  print(
    (await resolveSettings({ cwd: options.cwd, settingSources: [] })).effective,
  );
  for (
    const denied of [["opus"], ["claude-opus-4-8"], ["claude-opus-4"], [
      "CLAUDE-SONNET-4-8",
    ], undefined]
  ) {
    print(
      await matchDeniedModels([
        "opus",
        "claude-opus-4-8",
        "claude-opus-4-7",
        "claude-sonnet-4-8",
        "sonnet",
        "opus[1m]",
        "anthropic.claude-opus-4-8-v1:0",
      ], denied),
    );
  }
};

export default program;
