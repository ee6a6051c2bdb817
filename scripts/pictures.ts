// Makes the pictures of docs/pictures/ from runs of the real CLI.
//
//   deno task pictures                 the terminals, and what `inspect` shows, by headless Chromium
//   deno task pictures -- --check      whether the terminals still look like that
import { join } from "node:path";
import { Client } from "../src/client.ts";
import { localTransport } from "../src/local_cli.ts";
import { createMcpServer } from "../src/mcp/server.ts";
import { tool } from "../src/mcp/tool.ts";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { record } from "../src/testing/record.ts";
import { scriptedModel } from "../src/testing/scripted_model.ts";
import type { AgentOptions } from "../src/types/options.ts";
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

const FOLDER = "docs/pictures/";
/** As large as a page of docs shows it. */
const SIZE = "1000,1570";

/** What is said, turn by turn. */
const PROMPTS: readonly string[] = [
  "Which tests are slow, and why?",
  "Then clean the build folder.",
];

/** Of the terminal, in characters. */
const COLUMNS = 100;
const FONT_SIZE = 14;
/** Every monospaced font is about so wide; each line is fitted to it. */
const ADVANCE = FONT_SIZE * 0.6;
const LEADING = 20;
const MARGIN = 20;
const BAR = 36;

/** What the numbers of a sequence mean; all others leave the style as it is. */
const LOOKS: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
};
/** What ends them. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  0: Object.values(LOOKS),
  22: ["bold", "dim"],
  39: ["red", "green", "yellow", "cyan"],
};

const STYLE =
  `.w{fill:#161b22;stroke:#30363d}.t{font:${FONT_SIZE}px ui-monospace,` +
  "SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}" +
  ".bold{font-weight:600}.dim{fill:#8b949e}.red{fill:#ff7b72}" +
  ".green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#56d4dd}";

const SEQUENCE = new RegExp("\x1b\\[([\\d;]*)m");

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
    .replace(/(?<=Nothing at )\d+/, "29")
    .replace(/(?<= on )linux \w+/, "linux x64");
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

/** Runs the real CLI with everything to look at (a subagent, hooks, permissions, a tool of the host, a failure), and writes down what went over the wire. */
async function recordTour(
  cli: string,
  folder: string,
  file: string,
): Promise<void> {
  const [home, cwd] = [`${folder}/home`, `${folder}/shop`];
  for (const path of [home, cwd]) await Deno.mkdir(path);
  await Deno.writeTextFile(`${cwd}/slow_test.ts`, "// waits 4 s\n");
  const model = await scriptedModel([
    {
      thinking: "Somebody else can read the tests meanwhile.",
      text: "I will have the tests read, and ask for their times.",
      tool: "Agent",
      input: {
        description: "Read the tests",
        prompt: "Find what the tests wait for.",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
      usage: { input_tokens: 9_400 },
    },
    {
      tool: "Bash",
      input: { command: "grep -n waits *_test.ts" },
      usage: { input_tokens: 3_100 },
    },
    {
      text: "slow_test.ts waits 4 s for a clock.",
      usage: { input_tokens: 3_600 },
    },
    {
      tool: "mcp__ci__durations",
      input: { suite: "unit" },
      usage: { input_tokens: 11_900 },
    },
    {
      text:
        "slow_test.ts takes 4.1 of 6.3 seconds: it waits for a clock. A fake one would do.",
      usage: { input_tokens: 14_300, output_tokens: 180 },
    },
    {
      tool: "Bash",
      input: { command: "rm -r build" },
      usage: { input_tokens: 15_200 },
    },
    {
      text: "There is no build folder, so nothing was removed.",
      usage: { input_tokens: 15_900, output_tokens: 40 },
    },
  ]);
  const options: AgentOptions = {
    cliPath: cli,
    cwd,
    envPolicy: "replace",
    env: {
      PATH: Deno.env.get("PATH") ?? "",
      HOME: home,
      ...model.env,
    },
  };
  const lines: string[] = [];
  const client = new Client({
    ...options,
    transport: record(
      localTransport(options),
      (line) => void lines.push(line),
    ),
    mcpServers: {
      ci: {
        type: "sdk",
        instance: createMcpServer({
          name: "ci",
          tools: [tool({
            name: "durations",
            description: "Tells how long tests took",
            input: { type: "object", properties: {} },
            run: () => "slow_test.ts 4.1 s, all others 2.2 s",
          })],
        }),
      },
    },
    permissions: {
      canUseTool: async () => {
        // A person takes a while.
        await new Promise((resolve) => setTimeout(resolve, 1_700));
        return { behavior: "allow" };
      },
    },
    hooks: { PreToolUse: [{ matcher: "Bash", hooks: [() => ({})] }] },
  });
  try {
    await client.connect();
    for (const prompt of PROMPTS) await client.text(prompt);
  } finally {
    await client.close();
    await model.close();
  }
  // The page tells where it ran.
  const text = lines.join("").replaceAll(folder, "/home/ada");
  await Deno.writeTextFile(file, text);
}

/** A piece of a line that looks alike throughout. */
interface Piece {
  readonly text: string;
  /** The classes of its style, empty for plain text. */
  readonly look: string;
}

/**
 * Draws a terminal.
 *
 * @param title What stands in its bar, and what is read out instead of the picture
 * @param text What was said, with the sequences that colour it
 */
function terminalPicture(title: string, text: string): string {
  const lines = text.trimEnd().split("\n").flatMap((line) => wrap(line));
  const width = Math.ceil(COLUMNS * ADVANCE + 2 * MARGIN);
  const height = BAR + lines.length * LEADING + MARGIN;
  const rows = lines.map((pieces, at) => {
    const length = pieces.reduce((sum, one) => sum + one.text.length, 0);
    if (length === 0) return "";
    const y = BAR + at * LEADING + FONT_SIZE;
    const spans = pieces.map((one) =>
      one.look === ""
        ? escaped(one.text)
        : `<tspan class="${one.look}">${escaped(one.text)}</tspan>`
    ).join("");
    const fitted = (length * ADVANCE).toFixed(1);
    return `<text class="t" x="${MARGIN}" y="${y}" textLength="${fitted}" xml:space="preserve">${spans}</text>\n`;
  });
  const dots = [20, 40, 60].map((x) =>
    `<circle cx="${x}" cy="18" r="6" fill="#30363d"/>`
  ).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${
    escaped(title)
  }">
<style>${STYLE}</style>
<rect class="w" x=".5" y=".5" width="${width - 1}" height="${
    height - 1
  }" rx="8"/>${dots}
<text class="t dim" x="${width / 2}" y="23" text-anchor="middle">${
    escaped(title)
  }</text>
${rows.join("")}</svg>
`;
}

/** A line as pieces of one style each, and as many lines as a terminal makes of it. */
function wrap(line: string): readonly (readonly Piece[])[] {
  const rows: Piece[][] = [[]];
  let room = COLUMNS;
  for (const { look, text } of pieces(line)) {
    for (let rest = text; rest !== "";) {
      if (room === 0) {
        rows.push([]);
        room = COLUMNS;
      }
      rows.at(-1)?.push({ look, text: rest.slice(0, room) });
      const taken = Math.min(room, rest.length);
      rest = rest.slice(taken);
      room -= taken;
    }
  }
  return rows;
}

function pieces(line: string): readonly Piece[] {
  const on = new Set<string>();
  // What is split off alternates: text, numbers, text, ...
  return line.split(SEQUENCE).flatMap((part, at) => {
    if (at % 2 === 0) return { text: part, look: [...on].sort().join(" ") };
    for (const number of part === "" ? ["0"] : part.split(";")) {
      const look = LOOKS[number];
      if (look !== undefined) on.add(look);
      for (const ended of ENDS[number] ?? []) on.delete(ended);
    }
    return [];
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
