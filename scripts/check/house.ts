// House rules that no other tool checks, each part by its name: `house.ts words sizes`.
import { MINIMUM_VERSION, TESTED_VERSION } from "../../src/options/versions.ts";
import {
  conclude,
  exists,
  listFiles,
  readConfig,
  readJson,
  ROOT,
  run,
} from "../project.ts";

/** Each stands in one file, comments aside: told twice it has come apart before, or would do harm. */
const GUARDED_WORDS: readonly string[] = [
  "function isObject",
  '"--output-format',
  "CLAUDE_CODE_ENTRYPOINT",
  "SLUICE_FAMILY",
  "taskkill.exe",
  "passphrase",
  '"[redacted]"',
  "LONGEST_NAME = 64",
];

/** Directives that hide a finding, each with its fault. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [/deno-lint-ignore(?!.* -- \S)/, "has no reason: deno-lint-ignore"],
  [/deno-fmt-ignore(?!.* -- \S)/, "has no reason: deno-fmt-ignore"],
  [/@ts-(ignore|nocheck)\b/, "hides a type error: use @ts-expect-error"],
];

const ALLOWED: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  // Of axe-core alone, which a test loads into a page: nothing of it is published.
  "MPL-2.0",
  "Python-2.0",
  "Unlicense",
  "Zlib",
];

/** Packages whose manifest says it in another form, and what it means. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server-everything": "MIT",
};

/** Patterns that are forbidden in `src`, except in the given files. */
const FORBIDDEN: readonly (readonly [RegExp, string, RegExp])[] = [
  [/"(?:Deno|Bun)" in /, "names a runtime", /^src\/runtime\//],
  [/^export (?:type )?\* /m, "re-exports everything", /^src\/compat\/mod\.ts$/],
];

interface Manifest {
  readonly version: string;
  readonly license?: string | { readonly type?: string };
}

const TYPES = "build|chore|ci|docs|feat|fix|perf|refactor|revert|style|test";
const TITLE = new RegExp(`^(${TYPES})(\\([a-z0-9,/_-]+\\))?!?: \\S.*[^.]$`);
const LONGEST_TITLE = 100;

const GUIDE_LINES = 175;

/** Findings of a part, and its summary if there are none. */
interface Findings {
  readonly problems: readonly string[];
  readonly summary: string;
}

const PARTS: Readonly<Record<string, () => Promise<Findings>>> = {
  words: checkWords,
  suppressions: checkSuppressions,
  versions: checkVersions,
  licenses: checkLicenses,
  commits: checkCommits,
  sizes: saySizes,
};

const found = await Promise.all(
  Deno.args.map((name) => {
    const check = PARTS[name];
    if (check === undefined) throw new Error(`No part of the house: "${name}"`);
    return check();
  }),
);
conclude(
  found.flatMap(({ problems }) => problems),
  found.map(({ summary }) => summary).join("\n"),
);

/** Each of {@link GUARDED_WORDS} stands in one file. */
async function checkWords(): Promise<Findings> {
  const sources = (await readAll(await sourceFiles("src")))
    .map(({ file, text }) => ({ file, code: withoutComments(text) }));
  const problems = GUARDED_WORDS.flatMap((word) => {
    const holders = sources.filter(({ code }) => code.includes(word))
      .map(({ file }) => file);
    if (holders.length === 1) return [];
    return holders.length === 0
      ? [`Guarded, and said nowhere: ${word}`]
      : [`Only one may say ${word}: ${holders.join(", ")}`];
  });
  problems.push(
    ...FORBIDDEN.flatMap(([pattern, what, exempt]) =>
      sources.filter(({ file, code }) =>
        !exempt.test(file) && pattern.test(code)
      )
        .map(({ file }) => `${file} ${what}`)
    ),
  );
  const count = GUARDED_WORDS.length;
  return { problems, summary: `Guarded words have one owner: ${count}` };
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, "");
}

/** A suppressed finding carries a reason; for `@ts-expect-error` the linter asks itself. */
async function checkSuppressions(): Promise<Findings> {
  const files = ["*.ts", "*.mjs", ":!scripts/check/house.ts"];
  const found = await Promise.all(BARE.map(async ([{ source }, what]) => {
    const flags = ["grep", "--untracked", "-nP", source, "--", ...files];
    const { code, stdout, stderr } = await run("git", flags);
    if (code > 1) throw new Error(stderr);
    return stdout.split("\n").filter((line) => line !== "")
      .map((line) => `${line.split(":", 2).join(":")} ${what}`);
  }));
  return { problems: found.flat(), summary: "Suppressions have reasons" };
}

/** Facts that are repeated for readers are the same everywhere. */
async function checkVersions(): Promise<Findings> {
  const { version, imports } = await readConfig();
  const bun = imports.bun?.replace("npm:bun@", "") ?? "none";
  const places: readonly (readonly [string, RegExp, string])[] = [
    ["CHANGELOG.md", /^## (\d[^\s,]*)/m, version],
    ["CONTRIBUTING.md", /claude-code@([\d.]+\d)/, TESTED_VERSION],
    [
      "docs/runtimes.md",
      /the CLI [^\n]*\| ([\d.]+\d) +\|/,
      TESTED_VERSION,
    ],
    ["README.md", /every CLI since\s([\d.]+\d)/, MINIMUM_VERSION],
    ["docs/guide.md", /is older than ([\d.]+\d)/, MINIMUM_VERSION],
    ["docs/runtimes.md", /the CLI \| \[([\d.]+\d)\]/, MINIMUM_VERSION],
    ["docs/versions.md", /supported version is ([\d.]+\d)/, MINIMUM_VERSION],
    ["docs/versions.md", /is older than ([\d.]+\d)/, MINIMUM_VERSION],
    // The official package counts as the CLI does.
    ["bench/goals.ts", /agent-sdk@0\.3\.(\d+)"/, TESTED_VERSION.slice(4)],
    // Whose install script may run.
    ["deno.json", /"allowScripts": .*npm:bun@([^"]+)"/, bun],
  ];
  const problems: string[] = [];
  for (const [file, pattern, wanted] of places) {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    const said = pattern.exec(text)?.[1];
    if (said !== wanted) {
      problems.push(`${file} says ${said} instead of ${wanted}`);
    }
  }
  const summary =
    `Versions agree: ${version}, Bun ${bun}, CLI ${TESTED_VERSION}`;
  return { problems, summary };
}

/** Every installed package has a licence of the list; the npm package brings parts of some. */
async function checkLicenses(): Promise<Findings> {
  const store = "node_modules/.deno";
  const found = new Map<string, string>();
  for await (const { name: folder } of Deno.readDir(new URL(store, ROOT))) {
    // `@scope+name@1.0.0` holds `node_modules/@scope/name`; the folder of links has no version.
    const name = /^(.+)@[^@]*$/.exec(folder)?.[1]?.replace("+", "/");
    if (name === undefined) continue;
    const path = `${store}/${folder}/node_modules/${name}/package.json`;
    if (!await exists(path)) continue;
    const { version, license } = await readJson<Manifest>(path);
    const said = typeof license === "string" ? license : license?.type;
    found.set(`${name}@${version}`, READ_BY_HAND[name] ?? said ?? "none");
  }
  if (found.size === 0) throw new Error("Run `deno install` first");
  const problems = [...found]
    .filter(([, license]) => !isAllowed(license))
    .map(([name, license]) => `${name} has licence ${license}`);
  return { problems, summary: `Licences allowed: ${found.size} packages` };
}

/** `(MIT OR CC0-1.0)` needs one of them, `MIT AND ISC` both. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, "");
  return plain.split(" OR ").some((choice) =>
    choice.split(" AND ").every((one) => ALLOWED.includes(one.trim()))
  );
}

/** Titles follow Conventional Commits: `feat(mcp): list every page`. */
async function checkCommits(): Promise<Findings> {
  const { code, stdout, stderr } = await run("git", [
    "log",
    "--no-merges",
    "--format=%h %s",
  ]);
  const commits = code === 0 ? stdout.trim().split("\n").filter(Boolean) : [];
  const problems = commits.filter((line) => {
    const title = line.slice(line.indexOf(" ") + 1);
    return !TITLE.test(title) || title.length > LONGEST_TITLE;
  }).map((line) => `No Conventional Commits title: ${line}`);
  if (code !== 0 && !/does not have any commits/.test(stderr)) {
    problems.push(stderr.trim());
  }
  return { problems, summary: `Titles fit: ${commits.length} commits` };
}

/** Sizes are a matter of judgement: said, never refused. */
async function saySizes(): Promise<Findings> {
  const sizes = (await readAll(await sourceFiles("src")))
    .map(({ file, text }) => ({
      file,
      lines: text.trimEnd().split("\n").length,
    }))
    .sort((a, b) => b.lines - a.lines);
  const all = sizes.reduce((sum, { lines }) => sum + lines, 0);
  const median = sizes[sizes.length >> 1]?.lines;
  const long = sizes.filter(({ lines }) => lines > GUIDE_LINES).length;
  const lines = [
    `src has ${all} lines in ${sizes.length} files, median ${median}, ${long} over ${GUIDE_LINES}; the largest:`,
    ...sizes.slice(0, 10).map(({ file, lines }) => `  ${lines} ${file}`),
  ];
  return { problems: [], summary: lines.join("\n") };
}

/** The code in a folder. */
function sourceFiles(folder: string): Promise<readonly string[]> {
  return listFiles(folder, (path) => /\.(ts|mjs)$/.test(path));
}

function readAll(
  files: readonly string[],
): Promise<readonly { readonly file: string; readonly text: string }[]> {
  return Promise.all(files.map(async (file) => ({
    file,
    text: await Deno.readTextFile(new URL(file, ROOT)),
  })));
}
