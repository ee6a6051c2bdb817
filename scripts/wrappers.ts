// Runs wrappers of the official SDK on the official package and on ours, as npm installs both: packed, in an empty
// folder, with `overrides`. Each does the same against the real CLI with a scripted model.
//
// Needs the packages, `npm run build`, and a registry. On Node and on Bun.
//
//   deno task wrappers             all
//   deno task wrappers acp         those whose name begins so
//   deno task wrappers --only=bun  on one runtime
//   deno task wrappers --kept      in the folders of the last run
import { run, takeOf, verdictOn } from "../tests/compat/_side_by_side.ts";
import {
  type Scenario,
  SCENARIOS,
  WRAPPERS,
} from "../tests/compat/_wrappers.ts";
import { SDK_VERSION } from "../src/compat/errors.ts";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { cliOf } from "./install/cli.ts";
import {
  BUN,
  commandLine,
  exists,
  npm,
  readConfig,
  remove,
  ROOT,
  ROOT_PATH,
  say,
  writeJson,
} from "./project.ts";
import { STAND_IN_NAME } from "./package/stand_in.ts";

const OFFICIAL = "@anthropic-ai/claude-agent-sdk";
const FOLDER = ".wrappers";
const SOURCE = "tests/compat/wrappers";

/** The runtimes that the wrappers run on, with the official package as well. */
const RUNTIMES = { node: "node", bun: BUN } as const;
type Runtime = keyof typeof RUNTIMES;

const { names, flags } = commandLine();
const chosen = SCENARIOS.filter(({ name }) =>
  names.length === 0 || names.some((one) => name.startsWith(one))
);
if (!flags.has("kept")) await install();
const cli = Deno.env.get("SLUICE_TEST_CLI") ??
  await cliOf(TESTED_VERSION, ".cli");
const runtimes = (Object.keys(RUNTIMES) as Runtime[]).filter((one) =>
  (flags.get("only") ?? one) === one
);
let differing = 0;
for (const runtime of runtimes) {
  for (const scenario of chosen) await compare(scenario, runtime);
}
say(
  differing === 0
    ? "All wrappers do the same on both packages"
    : `${differing} scenarios differ`,
);
if (differing > 0) Deno.exitCode = 1;

async function compare(scenario: Scenario, runtime: Runtime): Promise<void> {
  const [theirs, own] = await Promise.all([
    taken("official", scenario, runtime),
    taken("ours", scenario, runtime),
  ]);
  const { name, differs } = scenario;
  const label = `${runtime.padEnd(5)} ${name}`;
  const { isSame, text } = verdictOn(label, { theirs, own }, differs);
  // A failure on both shows nothing.
  const isRun = theirs.code === 0;
  if (!isSame || !isRun) differing++;
  say(text);
  say(`    ${own.printed.join(" | ").slice(0, 200)}`);
  if (!isRun) say(`  official exited with ${theirs.code}`);
}

async function taken(
  folder: string,
  { name, model }: Scenario,
  runtime: Runtime,
) {
  const [file = "", word = ""] = name.split(" ");
  const all = await takeOf(
    ({ options: { pathToClaudeCodeExecutable, ...place } }) =>
      run(RUNTIMES[runtime], [`${file}.mjs`, word], {
        cwd: `${ROOT_PATH}${FOLDER}/${folder}`,
        env: {
          CLI: pathToClaudeCodeExecutable,
          PLACE: JSON.stringify(place),
          NO_COLOR: "1",
        },
      }),
    // The agent of `acp` starts several CLIs at once.
    { model, cli, isRecorded: true, isUnordered: file === "acp" },
  );
  // The agent asks by itself who is signed in, when it finds the time.
  return { ...all, args: all.args.filter((one) => !one.startsWith("auth\n")) };
}

/** Both folders anew. */
async function install(): Promise<void> {
  if (!await exists("npm-compat/package.json")) {
    throw new Error("npm-compat/ is not built: run `npm run build` first");
  }
  await remove(FOLDER);
  const { name, version } = await readConfig();
  const packed = new URL(`${FOLDER}/`, ROOT);
  await Deno.mkdir(packed);
  for (const folder of ["npm", "npm-compat"]) {
    await npm(["pack", `${ROOT_PATH}${folder}`], { cwd: packed });
  }
  say(
    "Installing the wrappers, once with each package: minutes the first time",
  );
  const tarball = (of: string, version: string) =>
    `file:../${of.slice(1).replace("/", "-")}-${version}.tgz`;
  await Promise.all([
    prepare("official", { [OFFICIAL]: SDK_VERSION }),
    prepare("ours", {
      [OFFICIAL]: tarball(STAND_IN_NAME, SDK_VERSION),
      [name]: tarball(name, version),
    }),
  ]);
}

async function prepare(
  name: string,
  sdk: Readonly<Record<string, string>>,
): Promise<void> {
  const folder = new URL(`${FOLDER}/${name}/`, ROOT);
  await Deno.mkdir(folder);
  const manifest = {
    private: true,
    type: "module",
    dependencies: { ...WRAPPERS, ...sdk },
    overrides: { [OFFICIAL]: `$${OFFICIAL}` },
  };
  await writeJson(`${FOLDER}/${name}/package.json`, manifest);
  // The CLI is here already.
  const flags = ["--omit=optional", "--no-audit", "--no-fund", "--silent"];
  await npm(["install", "--prefer-offline", ...flags], { cwd: folder });
  const source = new URL(`${SOURCE}/`, ROOT);
  for await (const { name } of Deno.readDir(source)) {
    await Deno.copyFile(new URL(name, source), new URL(name, folder));
  }
  say(`${FOLDER}/${name} is there`);
}
