// Everything but the tests: form, types, layers, docs, both packages; a few steps at once.
//
//   npm run check                  all steps
//   npm run check -- lint types    these steps
//   npm run check -- --jobs=1      one after the other
import { commandLine, DENO, FLEET, readConfig, run, say } from "./project.ts";

/** Installs what all others need. */
const FIRST = "lock";
const { exports } = await readConfig();
const entries = [
  ...Object.values(exports),
  ...Object.values((await readConfig(FLEET)).exports)
    .map((path) => path.replace("./", `${FLEET}/`)),
].join(" ");
const pages = Array.from(Deno.readDirSync("docs"), ({ name }) => `docs/${name}`)
  .filter((path) => path.endsWith(".md")).join(" ");
// The step `types` compiles what is published.
const publish = "publish --dry-run --allow-dirty --no-check";

/** Each step, as arguments of Deno; all run, whatever the others say. Long ones first, so that none runs alone at the end. */
const STEPS: Readonly<Record<string, string>> = {
  [FIRST]: "install --frozen",
  build: script("build_npm"),
  // A folder would give its modules, not its pages.
  types: `check --quiet --doc . README.md ${pages}`,
  site: script("docs --check"),
  package: script("check/npm"),
  examples: script("test_all node --filter=tests/documents/"),
  "doc-examples": `test -A --doc --no-check mod.ts src ${FLEET}/src`,
  protocol: script("protocol --check"),
  options: script("options --check"),
  errors: script("errors --check"),
  pages: script("pages --check"),
  "protocol-page": script("protocol/page --check"),
  recipes: script("check/recipes"),
  mutants: script("mutants --check"),
  drift: script("drift"),
  lint: "lint",
  format: "fmt --check",
  layers: script("check/layers"),
  // Unused exports and files: knip.json.
  exports:
    "run -A knip --include=files,exports,types --treat-config-hints-as-errors --no-progress",
  docs: script("check/docs"),
  english: script("check/english"),
  "doc-lint": `doc --lint ${entries}`,
  publish,
  "publish-fleet": `${publish} --config ${FLEET}/deno.json`,
  "publish-jsr": `${publish} --config jsr.json`,
  "jsr.json": script("sync_jsr --check"),
  words: script("check/house words"),
  suppressions: script("check/house suppressions"),
  versions: script("check/house versions"),
  licenses: script("check/house licenses"),
  commits: script("check/house commits"),
  sizes: script("check/house sizes"),
};

/** Steps that read what another makes. */
const AFTER: Readonly<Record<string, string>> = {
  package: "build",
  recipes: "build",
};
/** Steps whose output is worth reading when they pass, too. */
const REPORTS = ["build", "examples", "package", "recipes", "drift", "sizes"];

const { names: named, flags } = commandLine();
const all = Object.keys(STEPS).join(" ");
if (flags.has("help")) {
  say(`Usage: npm run check -- [steps] [--jobs=N]\n\nSteps: ${all}`);
  Deno.exit(0);
}
const unknown = [
  ...named.filter((name) => !(name in STEPS)),
  ...[...flags.keys()].filter((key) => key !== "jobs"),
];
if (unknown.length > 0) {
  throw new Error(`No such step: ${unknown.join(", ")}; there are ${all}`);
}
const chosen = Object.keys(STEPS)
  .filter((name) => named.length === 0 || named.includes(name));
const jobs = flags.get("jobs");

const start = performance.now();
const ends = new Map<string, Promise<boolean>>();
const waiting = [...chosen];
if (waiting[0] === FIRST) await begin(waiting.shift());
await Promise.all(
  Array.from(
    // While one reads or waits for its programs, another computes.
    { length: Number(jobs ?? navigator.hardwareConcurrency + 1) },
    async () => {
      while (waiting.length > 0) await begin(waiting.shift());
    },
  ),
);
const failed: string[] = [];
for (const [name, isGreen] of ends) if (!await isGreen) failed.push(name);
const passed = chosen.length - failed.length;
const names = failed.length === 0 ? "" : `: ${failed.join(", ")}`;
say(
  `check: ${passed} passed, ${failed.length} failed${names} (${
    seconds(start)
  })`,
);
Deno.exit(failed.length === 0 ? 0 : 1);

/** Arguments that run a script of ours. */
function script(line: string): string {
  const [name, ...flags] = line.split(" ");
  return ["run", "-A", `scripts/${name}.ts`, ...flags].join(" ");
}

async function begin(name: string | undefined): Promise<void> {
  if (name === undefined) return;
  const before = ends.get(AFTER[name] ?? "");
  const end = Promise.resolve(before).then(() => runStep(name));
  ends.set(name, end);
  await end;
}

/** Says how a step ended, in one piece. */
async function runStep(name: string): Promise<boolean> {
  const start = performance.now();
  const args = STEPS[name]?.split(" ") ?? [];
  const { code, stdout, stderr } = await run(DENO, args);
  const isGreen = code === 0;
  const lines = [
    `${isGreen ? "ok    " : "FAILED"} ${name} (${seconds(start)})`,
  ];
  if (!isGreen) lines.push(indent(stdout + stderr));
  else if (REPORTS.includes(name)) lines.push(indent(stdout));
  say(lines.join("\n"));
  return isGreen;
}

function indent(text: string): string {
  return text.trimEnd().split("\n").map((line) => `       ${line}`).join("\n");
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
