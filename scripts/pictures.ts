// Makes the pictures of docs/pictures/ from runs of the real CLI.
//
//   deno task pictures                 the terminals, and what `inspect` shows, by headless Chromium
//   deno task pictures -- --check      whether the terminals still look like that
import { join } from "node:path";
import { PROMPTS, recordTour } from "./pictures/tour.ts";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { cliOf } from "./install/cli.ts";
import {
  conclude,
  DENO,
  exists,
  mustRun,
  ROOT,
  ROOT_PATH,
  run,
  say,
} from "./project.ts";
import { terminalPicture } from "./pictures/terminal.ts";

const FOLDER = "docs/pictures/";
/** As large as a page of docs shows it. */
const SIZE = "1000,1570";

const folder = await Deno.realPath(
  await Deno.makeTempDir({ prefix: "sluice-pictures-" }),
);
try {
  const cli = await cliOf(TESTED_VERSION, ".cli");
  const terminals: Readonly<Record<string, string>> = {
    "demo.svg": terminalPicture("npm run demo", await demo()),
    "doctor.svg": terminalPicture("sluice doctor", await doctor(cli)),
  };
  if (Deno.args.includes("--check")) {
    conclude(
      await differences(terminals),
      "the terminals look as the pictures say",
    );
  }
  for (const [name, text] of Object.entries(terminals)) {
    await Deno.writeTextFile(new URL(FOLDER + name, ROOT), text);
  }
  await photographInspect(cli);
  say(`${FOLDER} is new`);
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** What `npm run demo` says. */
async function demo(): Promise<string> {
  const flags = ["run", "-A", "--quiet", "--no-config", "--no-lock"];
  const text = await mustRun(DENO, [...flags, "scripts/demo.ts"], {
    env: { NO_COLOR: "", FORCE_COLOR: "1" },
  });
  // Times are those of one run: the rest has to be the same in each.
  const times = ["2148", "441", "250", "730"].values();
  return `$ npm run demo\n${text}`.replaceAll(
    /\d+(?= ms)|(?<=pool after )\d+/g,
    (time) => times.next().value ?? time,
  );
}

/** What `sluice doctor` says where nobody is logged in, a server is missing, and the model cannot be reached. */
async function doctor(cli: string): Promise<string> {
  const [home, project, bin] = ["ada", "ada/weather", "ada/bin"]
    .map((name) => join(folder, name)) as [string, string, string];
  for (const path of [home, project, bin]) await Deno.mkdir(path);
  await Deno.symlink(cli, join(bin, "claude"));
  const servers = { maps: { command: "maps-mcp", args: [] } };
  await Deno.writeTextFile(
    join(project, ".mcp.json"),
    JSON.stringify({ mcpServers: servers }),
  );
  const { stdout } = await new Deno.Command(DENO, {
    args: ["run", "-A", `${ROOT_PATH}src/command/mod.ts`, "doctor"],
    cwd: project,
    clearEnv: true,
    env: {
      PATH: bin,
      HOME: home,
      ANTHROPIC_BASE_URL: "http://127.0.0.1:45999",
      FORCE_COLOR: "1",
    },
    stdin: "null",
    stderr: "inherit",
  }).output();
  const said = new TextDecoder().decode(stdout);
  // What another machine or another minute would say otherwise.
  const usual = said
    .replaceAll(home, "/home/ada")
    .replace(/(?<=answered after )\d+/, "412")
    .replaceAll(/\d+(?= MiB are free)/g, "48213")
    .replace(/(?<=Nothing at )\d+/, "29")
    .replace(/(?<= on )linux \w+/, "linux x64")
    .replaceAll(/.*(?:Left over|A sandbox would need).*\n/g, "");
  return `$ sluice doctor\n${usual}`;
}

async function differences(
  terminals: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const [name, text] of Object.entries(terminals)) {
    const path = FOLDER + name;
    const before = await exists(path)
      ? await Deno.readTextFile(new URL(path, ROOT))
      : "";
    if (before === text) continue;
    const [was, is] = [before, text].map((one) => one.split("\n")) as [
      string[],
      string[],
    ];
    const at = is.findIndex((line, index) => line !== was[index]);
    problems.push(
      `${path} is not as made: run \`deno task pictures\`; it says\n  ${
        was[at] ?? "(nothing)"
      }\nand a run now\n  ${is[at] ?? "(nothing)"}`,
    );
  }
  return problems;
}

/** The page of a run with a subagent, hooks, a permission and a tool that fails. */
async function photographInspect(cli: string): Promise<void> {
  const cassette = join(folder, "review.jsonl");
  await recordTour(cli, folder, cassette);
  await mustRun(DENO, [
    ...["run", "-A", `${ROOT_PATH}src/command/mod.ts`],
    ...["inspect", "review.jsonl"],
  ], { cwd: folder });
  const { code, stderr } = await run("chromium", [
    "--headless",
    "--no-sandbox",
    "--hide-scrollbars",
    `--window-size=${SIZE}`,
    "--virtual-time-budget=5000",
    `--screenshot=${ROOT_PATH}${FOLDER}inspect.png`,
    `file://${cassette}.html`,
  ]);
  if (code !== 0) throw new Error(`Chromium: ${stderr}`);
  say(`inspect shows ${PROMPTS.length} turns`);
}
