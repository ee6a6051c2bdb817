// Counts phrases that a native engineer would not write, in comments, docstrings, texts and pages. Fails if there are more
// than `english.json` allows; --write lowers the allowance to the current counts, --show="whoever" lists places.
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
const OWN = "scripts/check/english.ts";
const FOLDERS: readonly string[] = [
  "bench",
  "conformance",
  "docs",
  "examples",
  "fleet",
  "pages",
  "protocol",
  "scripts",
  "src",
  "stand_in",
];
/** The page of the protocol, and installed packages. */
const GENERATED = /^docs\/protocol\.md$|node_modules/;

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

/** Source, scripts and pages, without generated ones and this file, which lists the phrases. */
async function paths(): Promise<readonly string[]> {
  const isText = (path: string) => /\.(?:ts|mjs|md)$/.test(path);
  const folders = await Promise.all(
    FOLDERS.map((folder) => listFiles(folder, isText).catch(() => [])),
  );
  return [
    "mod.ts",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ...folders.flat(),
  ]
    .filter((path) => !GENERATED.test(path) && path !== OWN);
}
