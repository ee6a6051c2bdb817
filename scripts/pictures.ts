// Makes run.svg, inspect.png and web.png of docs/pictures/ from runs of the real CLI with a scripted model: `deno task pictures`.
import { chromium } from "playwright-core";
import { Client } from "../src/client.ts";
import { localTransport } from "../src/local_cli.ts";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { record } from "../src/testing/record.ts";
import { scriptedModel } from "../src/testing/scripted_model.ts";
import { cliOf } from "./install/cli.ts";
import { DENO, mustRun, ROOT, ROOT_PATH, say } from "./project.ts";

const FOLDER = "docs/pictures/";
/** Of the terminal, in characters. */
const COLUMNS = 100;
const FONT_SIZE = 14;
/** Every monospaced font is about so wide; each line is fitted to it. */
const ADVANCE = FONT_SIZE * 0.6;
const LEADING = 20;
const MARGIN = 20;
const BAR = 36;

/** Meaning of the numbers of a sequence. */
const LOOKS: Readonly<Record<string, string>> = {
  1: "bold",
  2: "dim",
  31: "red",
  32: "green",
  33: "yellow",
  36: "cyan",
};
const STYLE =
  `.w{fill:#161b22;stroke:#30363d}.t{font:${FONT_SIZE}px ui-monospace,` +
  "SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3;white-space:pre}" +
  ".bold{font-weight:600}.dim{fill:#8b949e}.red{fill:#ff7b72}" +
  ".green{fill:#56d364}.yellow{fill:#e3b341}.cyan{fill:#56d4dd}";

/** A styled word: how it begins, the word, how it ends. */
const STYLED = new RegExp("\x1b\\[(\\d+)m(.*?)\x1b\\[\\d+m", "g");

const PROMPT = "Which tests are slow, and why?";
const READING = "grep -n waits *_test.ts";
const FINDING = "slow_test.ts waits 4 s for a clock.";

const folder = await Deno.makeTempDir({ prefix: "sluice-pictures-" });
const [run, review, chat] = await Promise.all([
  scriptedModel([
    {
      text: "I will read the tests.",
      tool: "Bash",
      input: { command: READING },
    },
    { text: `${FINDING} A fake clock makes it fast.` },
  ]),
  scriptedModel([
    {
      text: "I will have the tests read.",
      tool: "Agent",
      input: {
        description: "Read the tests",
        prompt: "Find what the tests wait for.",
        subagent_type: "general-purpose",
        run_in_background: false,
      },
      usage: { input_tokens: 9_400 },
    },
    { tool: "Bash", input: { command: READING } },
    { text: FINDING },
    {
      text: "It waits for a clock: use a fake one.",
      usage: { input_tokens: 14_300 },
    },
    {
      tool: "Bash",
      input: { command: "rm -r build" },
      usage: { input_tokens: 15_200 },
    },
    { text: "There is no build folder.", usage: { input_tokens: 15_900 } },
  ]),
  scriptedModel([
    {
      text: "I will read the test.",
      tool: "Read",
      input: { file_path: `${folder}/slow_test.ts` },
    },
    {
      text: "It waits for a clock. A fake one makes it fast.",
      tool: "Edit",
      input: {
        file_path: `${folder}/slow_test.ts`,
        old_string: "// waits 4 s\nawait sleep(4_000);",
        new_string: "await clock.advance(4_000);",
      },
    },
    "Never asked for.",
  ]),
]);
try {
  const cliPath = await cliOf(TESTED_VERSION, ".cli");
  await Deno.writeTextFile(
    `${folder}/slow_test.ts`,
    "// waits 4 s\nawait sleep(4_000);\n",
  );
  const words = ["run", "--allow", "Bash(grep:*)", PROMPT];
  const shown = await sluice([...words, "--cli", cliPath], run.env);
  const command = words.map((word) => /[ (]/.test(word) ? `'${word}'` : word);
  await Deno.writeTextFile(
    new URL(`${FOLDER}run.svg`, ROOT),
    terminalPicture("sluice run", `$ sluice ${command.join(" ")}\n${shown}`),
  );
  const options = {
    cliPath,
    cwd: folder,
    env: { ...review.env, HOME: folder },
    permissions: { canUseTool: () => ({ behavior: "allow" as const }) },
  };
  let lines = "";
  const transport = record(localTransport(options), (line) => {
    lines += line;
  });
  const client = new Client({ ...options, transport });
  await client.connect();
  await client.text(PROMPT);
  await client.text("Then clean the build folder.");
  await client.close();
  // The page says where it ran.
  const text = lines.replaceAll(folder, "/home/ada/shop");
  await Deno.writeTextFile(`${folder}/review.jsonl`, text);
  await sluice(["inspect", "review.jsonl"]);
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({
    viewport: { width: 1_000, height: 900 },
  });
  await page.goto(`file://${folder}/review.jsonl.html`);
  await page.screenshot({ path: `${ROOT_PATH}${FOLDER}inspect.png` });
  await withPage(cliPath, async (address) => {
    await page.goto(address);
    await page.locator("#prompt").fill(PROMPT);
    await page.locator("#prompt").press("Enter");
    await page.getByText("May the agent use Edit?").waitFor();
    await page.locator("button.yes:enabled").waitFor();
    // The page says where it ran.
    await page.evaluate(`(${replaceText})(${JSON.stringify(folder)})`);
    await page.screenshot({ path: `${ROOT_PATH}${FOLDER}web.png` });
  });
  await browser.close();
  say(`${FOLDER}: run.svg, inspect.png and web.png are new`);
} finally {
  await Promise.all([run.close(), review.close(), chat.close()]);
  await Deno.remove(folder, { recursive: true });
}

/** Runs `sluice web` in the folder while its page is used. */
async function withPage(
  cliPath: string,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const program = `${ROOT_PATH}src/command/mod.ts`;
  const words = ["run", "-A", "--quiet", program, "web", "--cli", cliPath];
  const child = new Deno.Command(DENO, {
    args: [...words, "--no-open"],
    cwd: folder,
    env: { ...chat.env, HOME: folder },
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const { value = "" } = await reader.read();
    await use(value.trim());
  } finally {
    child.kill("SIGINT");
    await reader.cancel();
    await child.status;
  }
}

/** Runs in the page. */
function replaceText(folder: string): void {
  const { document } = globalThis as unknown as {
    readonly document: {
      readonly body: unknown;
      createTreeWalker(root: unknown, what: number): {
        nextNode(): { nodeValue: string } | null;
      };
    };
  };
  const texts = document.createTreeWalker(document.body, 4);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    text.nodeValue = text.nodeValue.replaceAll(folder, "/home/ada/shop");
  }
}

/** Output of `sluice` at a pseudo terminal. */
async function sluice(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const program = `${ROOT_PATH}src/command/mod.ts`;
  const quoted = [DENO, "run", "-A", "--quiet", program, ...words]
    .map((word) => `'${word}'`).join(" ");
  const text = await mustRun("script", ["-qec", quoted, "/dev/null"], {
    cwd: folder,
    env: { ...env, HOME: folder, NO_COLOR: "", FORCE_COLOR: "1" },
  });
  return text.replaceAll("\r", "");
}

/**
 * Draws a terminal.
 *
 * @param title What stands in its bar, and what is read out instead of the picture
 * @param text What was said, with the sequences that colour it
 */
function terminalPicture(title: string, text: string): string {
  const lines = text.trimEnd().split("\n");
  const width = Math.ceil(COLUMNS * ADVANCE + 2 * MARGIN);
  const height = BAR + lines.length * LEADING + MARGIN;
  const rows = lines.map((line, at) => {
    const { length } = line.replaceAll(STYLED, "$2");
    if (length === 0) return "";
    const y = BAR + at * LEADING + FONT_SIZE;
    const spans = escaped(line).replaceAll(
      STYLED,
      (_, number: string, word: string) =>
        `<tspan class="${LOOKS[number]}">${word}</tspan>`,
    );
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

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
