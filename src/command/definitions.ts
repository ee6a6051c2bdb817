import type { Host } from "../ports/host.ts";
import { resolvePath, upwards } from "../process/paths.ts";
import { configFolder } from "../transcripts/places.ts";
import { type Finding, finding } from "./finding.ts";

/** More files than anybody writes by hand; the rest is not looked at. */
const MOST_FILES = 1_000;
const MOST_LEVELS = 4;

/** Agents, commands and skills in files that the CLI ignores or reads otherwise than meant. */
export async function checkDefinitions(
  host: Host,
  cwd: string,
  agents: readonly string[],
): Promise<readonly Finding[]> {
  const { files, platform } = host;
  const below = (folder: string, name: string) =>
    resolvePath(folder, name, platform);
  const projects = upwards(cwd, platform).map((one) => below(one, ".claude"));
  const folders = new Set([...projects, configFolder(host)]);
  const found: Finding[] = [];
  const warn = (text: string, fix: string) =>
    found.push(finding("definition", "warning", text, { fix }));
  for (const folder of folders) {
    for (const path of await markdownIn(host, below(folder, "agents"))) {
      if (/README\.md$/i.test(path)) continue;
      const text = await files.readText(path).catch(() => undefined);
      if (text === undefined) continue;
      const { fault, name } = frontmatterOf(text, ["name", "description"]);
      if (fault === undefined || agents.includes(name ?? "")) continue;
      warn(
        `${path}:1 ${fault}: the CLI ignores this agent`,
        "begin the file with ---, name: ..., description: ..., ---",
      );
    }
    const skills = below(folder, "skills");
    const skillFiles: string[] = [];
    for (const name of await namesIn(host, skills)) {
      const path = below(skills, name);
      const status = await files.status(path).catch(() => undefined);
      if (status?.kind !== "directory") {
        if (!name.endsWith(".md") || /^README\.md$/i.test(name)) continue;
        const fix = `move it to ${below(path.slice(0, -3), "SKILL.md")}`;
        warn(`${path} is ignored: a skill is a folder with SKILL.md`, fix);
      } else if ((await namesIn(host, path)).includes("SKILL.md")) {
        skillFiles.push(below(path, "SKILL.md"));
      } else {
        const fix = "name its file SKILL.md, in capitals";
        warn(`${path} is ignored: it has no SKILL.md`, fix);
      }
    }
    const commands = await markdownIn(host, below(folder, "commands"));
    for (const path of [...commands, ...skillFiles]) {
      const text = await files.readText(path).catch(() => "");
      if (!/^\ufeff?---/.test(text)) continue;
      const { fault } = frontmatterOf(text, []);
      if (fault === undefined) continue;
      const fix = "end the frontmatter by a line with --- alone";
      warn(`${path}:1 ${fault}: the CLI reads it as part of the prompt`, fix);
    }
  }
  return found;
}

async function namesIn(
  { files }: Host,
  folder: string,
): Promise<readonly string[]> {
  return (await files.list(folder).catch(() => []))
    .filter((name) => !name.startsWith(".")).toSorted();
}

async function markdownIn(
  host: Host,
  folder: string,
  levels = MOST_LEVELS,
): Promise<readonly string[]> {
  const all: string[] = [];
  for (const name of await namesIn(host, folder)) {
    if (all.length >= MOST_FILES) break;
    const path = resolvePath(folder, name, host.platform);
    if (name.endsWith(".md")) all.push(path);
    else if (levels > 0) all.push(...await markdownIn(host, path, levels - 1));
  }
  return all;
}

/** The name in a file's frontmatter, and what keeps the CLI from reading it. */
function frontmatterOf(
  text: string,
  required: readonly string[],
): { readonly name?: string | undefined; readonly fault?: string } {
  const [first, ...rest] = text.replace(/^\ufeff/, "").split("\n")
    .map((line) => line.trimEnd());
  if (first !== "---") return { fault: "has no frontmatter" };
  const end = rest.indexOf("---");
  if (end < 0) return { fault: "has a frontmatter that does not end" };
  const fields = new Map(
    rest.slice(0, end).map((line) => {
      const [, key = "", value = ""] = /^(\w+):\s*(.*)$/.exec(line) ?? [];
      return [key, value.replace(/^(["'])(.*)\1$/, "$2")];
    }),
  );
  const name = fields.get("name");
  const missing = required.find((key) => !fields.get(key));
  return missing === undefined
    ? { name }
    : { name, fault: `has no ${missing} in its frontmatter` };
}
