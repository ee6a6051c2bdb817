// Everything but the tests: form, types, layers, docs, both packages; a few steps at once.
//
//   npm run check                  all steps
//   npm run check -- lint types    these steps
//   npm run check -- --jobs=1      one after the other
import { commandLine, DENO, FLEET, readConfig, run, say } from "./project.ts";

/** One step; all run, whatever the others say. */
interface Step {
  readonly name: string;
  /** Arguments of Deno. */
  readonly args: readonly string[];
  /** An earlier step that makes what this one reads. */
  readonly after?: string;
  /** Says that what the step prints is worth reading when it passes, too. */
  readonly isReport?: boolean;
}

/** A script of ours as a step. */
function script(name: string, ...args: readonly string[]): readonly string[] {
  return ["run", "-A", `scripts/${name}.ts`, ...args];
}

/** A part of `check/house.ts` as a step. */
function house(name: string): Step {
  return { name, args: script("check/house", name) };
}

/** Installs what all others need. */
const FIRST = "lock";
// The step `types` compiles what is published.
const PUBLISH = ["publish", "--dry-run", "--allow-dirty", "--no-check"];
const KNIP = [
  "run",
  "-A",
  "knip",
  "--include=files,exports,types",
  "--treat-config-hints-as-errors",
  "--no-progress",
];
const { exports } = await readConfig();
const entriesOfFleet = Object.values((await readConfig(FLEET)).exports)
  .map((path) => `${FLEET}/${path.replace("./", "")}`);
const pages = Array.from(
  Deno.readDirSync("docs"),
  ({ name }) => `docs/${name}`,
).filter((path) => path.endsWith(".md"));
/** Long ones first, so that none runs alone at the end. */
const steps: readonly Step[] = [
  { name: FIRST, args: ["install", "--frozen"] },
  { name: "build", args: script("build_npm"), isReport: true },
  // A folder would give its modules, not its pages.
  {
    name: "types",
    args: ["check", "--quiet", "--doc", ".", "README.md", ...pages],
  },
  {
    name: "doc-examples",
    args: [
      "test",
      "-A",
      "--doc",
      "--no-check",
      "mod.ts",
      "src",
      `${FLEET}/src`,
    ],
  },
  {
    name: "package",
    args: script("check/npm"),
    after: "build",
    isReport: true,
  },
  { name: "protocol", args: script("protocol", "--check") },
  { name: "options", args: script("options", "--check") },
  { name: "pages", args: script("pages", "--check") },
  {
    name: "recipes",
    args: script("check/recipes"),
    after: "build",
    isReport: true,
  },
  { name: "site", args: script("build_site", "--check") },
  { name: "mutants", args: script("mutants", "--check") },
  { name: "drift", args: script("drift"), isReport: true },
  { name: "lint", args: ["lint"] },
  { name: "format", args: ["fmt", "--check"] },
  { name: "layers", args: script("check/layers") },
  // What nothing imports, and who imports himself: knip.json.
  { name: "exports", args: KNIP },
  { name: "docs", args: script("check/docs") },
  { name: "english", args: script("check/english") },
  {
    name: "doc-lint",
    args: ["doc", "--lint", ...Object.values(exports), ...entriesOfFleet],
  },
  { name: "publish", args: PUBLISH },
  {
    name: "publish-fleet",
    args: [...PUBLISH, "--config", `${FLEET}/deno.json`],
  },
  { name: "publish-jsr", args: [...PUBLISH, "--config", "jsr.json"] },
  { name: "jsr.json", args: script("sync_jsr", "--check") },
  house("words"),
  house("suppressions"),
  house("versions"),
  house("licenses"),
  house("commits"),
  { ...house("sizes"), isReport: true },
];

const { names: named, flags } = commandLine();
const unknown = [
  ...named.filter((name) => !steps.some((step) => step.name === name)),
  ...[...flags.keys()].filter((key) => key !== "jobs"),
];
if (unknown.length > 0) {
  const names = steps.map(({ name }) => name).join(" ");
  throw new Error(`No such step: ${unknown.join(", ")}; there are ${names}`);
}
const chosen = named.length === 0
  ? steps
  : steps.filter(({ name }) => named.includes(name));
const jobs = flags.get("jobs");

const start = performance.now();
const ends = new Map<string, Promise<boolean>>();
const waiting = [...chosen];
if (waiting[0]?.name === FIRST) await begin(waiting.shift());
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

async function begin(step: Step | undefined): Promise<void> {
  if (step === undefined) return;
  const before = ends.get(step.after ?? "");
  const end = Promise.resolve(before).then(() => runStep(step));
  ends.set(step.name, end);
  await end;
}

/** Says how a step ended, in one piece. */
async function runStep({ name, args, isReport }: Step): Promise<boolean> {
  const start = performance.now();
  const { code, stdout, stderr } = await run(DENO, args);
  const isGreen = code === 0;
  const lines = [
    `${isGreen ? "ok    " : "FAILED"} ${name} (${seconds(start)})`,
  ];
  if (!isGreen) lines.push(indent(stdout + stderr));
  else if (isReport) lines.push(indent(stdout));
  say(lines.join("\n"));
  return isGreen;
}

function indent(text: string): string {
  return text.trimEnd().split("\n").map((line) => `       ${line}`).join("\n");
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
