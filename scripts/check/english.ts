// Counts phrases that a native engineer would not write, in comments, docstrings, texts and pages. Fails where there are
// more than `english.json` allows; with --write it lowers the allowance to what is there now.
import {
  commandLine,
  conclude,
  listFiles,
  readJson,
  ROOT,
  say,
  writeJson,
} from "../project.ts";

const ALLOWANCE = "scripts/check/english.json";

/** Phrases by the name under which they are counted. */
const BANNED: Readonly<Record<string, RegExp>> = {
  "comment begins with What": /(?:\/\/|\/\*\*|^\s*\*)\s+What\s/gm,
  "whoever": /\bwhoever\b/gi,
  "somebody": /\bsomebody\b/gi,
  "nobody": /\bnobody\b/gi,
  "is none": /\bis none\b/gi,
  "so many": /\bso many\b/gi,
  "so long": /\bso long\b/gi,
  "of the user's": /\bof the user's\b/gi,
  "is told": /\b(?:is|are) told\b/gi,
  "goes on": /\bgoes? on\b/gi,
};

const allowed = await readJson<Record<string, number>>(ALLOWANCE);
const found = new Map(Object.keys(BANNED).map((name) => [name, 0]));
const places = new Map<string, string[]>();
for (const path of await paths()) {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  if (/^(?:\/\/|<!--) Made from/.test(text)) continue;
  for (const [name, pattern] of Object.entries(BANNED)) {
    for (const { index } of text.matchAll(pattern)) {
      found.set(name, (found.get(name) ?? 0) + 1);
      const line = text.slice(0, index).split("\n").length;
      const all = places.get(name) ?? [];
      all.push(`${path}:${line}`);
      places.set(name, all);
    }
  }
}

const { flags } = commandLine();
const named = flags.get("show");
if (named !== undefined) {
  for (const place of places.get(named) ?? []) say(place);
}
if (flags.has("write")) {
  const lower = [...found].map(([name, count]) =>
    [name, Math.min(count, allowed[name] ?? count)] as const
  );
  await writeJson(ALLOWANCE, Object.fromEntries(lower));
}
const problems = [...found]
  .filter(([name, count]) => count > (allowed[name] ?? 0))
  .map(([name, count]) =>
    `"${name}" stands ${count} times, at most ${
      allowed[name] ?? 0
    } are left to mend: see --show="${name}"`
  );
const total = [...found.values()].reduce((sum, count) => sum + count, 0);
conclude(problems, `Plain English: ${total} old phrases are left`);

/** Source and pages, but not what is made from a description. */
async function paths(): Promise<readonly string[]> {
  const isText = (path: string) => /\.(?:ts|md)$/.test(path);
  const folders = await Promise.all(
    ["src", "docs", "fleet/src", "examples"].map((folder) =>
      listFiles(folder, isText).catch(() => [])
    ),
  );
  return [
    "mod.ts",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "bench/README.md",
    "fleet/README.md",
    ...folders.flat(),
  ]
    .filter((path) => path !== "docs/protocol.md");
}
