// Everything but the tests: form, types, layers, docs, both packages.
//
//   npm run check                  all steps
//   npm run check -- lint types    these steps
import { DENO, readConfig, run, say } from "./project.ts";

/** One step; all run, whatever the others say. */
interface Step {
  readonly name: string;
  /** Arguments of Deno. */
  readonly args: readonly string[];
  /** Says that what the step prints is worth reading when it passes, too. */
  readonly isReport?: boolean;
}

/** A script of ours as a step. */
function script(name: string, ...args: readonly string[]): readonly string[] {
  return ["run", "-A", `scripts/${name}.ts`, ...args];
}

const PUBLISH: readonly string[] = ["publish", "--dry-run", "--allow-dirty"];
const { exports } = await readConfig();
const entries = Object.values(exports);

const pages = Array.from(
  Deno.readDirSync("docs"),
  ({ name }) => `docs/${name}`,
);
const steps: readonly Step[] = [
  { name: "lock", args: ["install", "--frozen"] },
  { name: "format", args: ["fmt", "--check"] },
  { name: "lint", args: ["lint"] },
  { name: "suppressions", args: script("check_suppressions") },
  { name: "types", args: ["check"] },
  { name: "layers", args: script("check_layers") },
  { name: "exports", args: script("check_exports") },
  { name: "versions", args: script("check_versions") },
  { name: "jsr.json", args: script("sync_jsr", "--check") },
  { name: "docs", args: script("check_docs") },
  { name: "doc-lint", args: ["doc", "--lint", ...entries] },
  {
    name: "doc-examples",
    args: ["test", "-A", "--doc", "--no-check", "mod.ts", "src"],
  },
  {
    name: "doc-types",
    // A folder would give its modules, not its pages.
    args: ["check", "--doc-only", "mod.ts", "src", "README.md", ...pages],
  },
  { name: "licenses", args: script("check_licenses") },
  { name: "commits", args: script("check_commits") },
  { name: "publish", args: PUBLISH },
  { name: "publish-jsr", args: [...PUBLISH, "--config", "jsr.json"] },
  { name: "score", args: script("score") },
  { name: "build", args: script("build_npm"), isReport: true },
  { name: "package", args: script("check_npm"), isReport: true },
  { name: "sizes", args: script("check_size"), isReport: true },
];

const chosen = Deno.args.length === 0
  ? steps
  : steps.filter(({ name }) => Deno.args.includes(name));
const unknown = Deno.args.filter((name) =>
  !steps.some((step) => step.name === name)
);
if (unknown.length > 0) {
  const names = steps.map(({ name }) => name).join(" ");
  throw new Error(`No such step: ${unknown.join(", ")}; there are ${names}`);
}

const start = performance.now();
const failed: string[] = [];
for (const step of chosen) if (!await runStep(step)) failed.push(step.name);
const passed = chosen.length - failed.length;
const names = failed.length === 0 ? "" : `: ${failed.join(", ")}`;
say(
  `check: ${passed} passed, ${failed.length} failed${names} (${
    seconds(start)
  })`,
);
Deno.exit(failed.length === 0 ? 0 : 1);

async function runStep({ name, args, isReport }: Step): Promise<boolean> {
  const start = performance.now();
  const { code, stdout, stderr } = await run(DENO, args);
  const isGreen = code === 0;
  say(`${isGreen ? "ok    " : "FAILED"} ${name} (${seconds(start)})`);
  if (!isGreen) say(indent(stdout + stderr));
  else if (isReport) say(indent(stdout));
  return isGreen;
}

function indent(text: string): string {
  return text.trimEnd().split("\n").map((line) => `       ${line}`).join("\n");
}

function seconds(start: number): string {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
