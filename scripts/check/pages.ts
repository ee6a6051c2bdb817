// Checks the form of all pages in Markdown: short cells and lines, links that lead somewhere, names that exist.
import { posix } from "node:path";
import { OPTION_ROWS } from "../../src/options/table.ts";
import {
  listFiles,
  readJson,
  REPOSITORY,
  ROOT,
  writeJson,
} from "../project.ts";

/** Problems that are left, by page and rule; the counts only fall. */
const ALLOWANCE = "scripts/check/pages.json";
const LONGEST_CELL = 65;
const LONGEST_LINE = 160;

/** Pages about the inside of this repository, or its past, which name what is not public. */
const INSIDE: ReadonlySet<string> = new Set([
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "bench/README.md",
  "docs/architecture.md",
]);

/** Names of other packages, systems and runtimes, and of examples in the text. */
const FOREIGN: ReadonlySet<string> = new Set([
  // The official SDK, what it declares and what it does not.
  ...["CommandMatcher", "DirectConnectError", "DirectConnectTransport"],
  ...["FileIndex", "ReferenceError", "getOAuthToken", "isConnected"],
  ...["parseDirectConnectUrl", "settingsDelivery", "wrapClaudeAgentSDK"],
  // The AI SDK and its provider.
  ...["generateObject", "generateText", "createAiSdkMcpServer", "useChat"],
  // Other SDKs, and the Messages API.
  ...["maxSteps", "stopWhen", "previous_response_id"],
  ...["response_format", "toolChoice", "tool_choice", "top_p"],
  // The stand-in of the official SDK.
  ...["NotInThisPackageError", "THIRD_PARTY_LICENSES"],
  // The MCP SDK, Node, TypeScript, GitHub, the web.
  ...["ClientCredentialsProvider", "enableCompileCache", "fromWeb"],
  ...["getBuiltinModule", "moduleResolution", "pull_request_target"],
  ...["Accept", "DOMException", "toMatchSnapshot"],
  // Variables of the CLI, clouds, proxies and tracing.
  ...["ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_VERTEX_PROJECT_ID"],
  ...["ANTHROPIC_DEFAULT_SONNET_MODEL", "AWS_REGION", "HTTPS_PROXY"],
  ...["BASH_DEFAULT_TIMEOUT_MS", "BASH_MAX_TIMEOUT_MS"],
  "CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS",
  ...["CLAUDE_CODE_ENABLE_TELEMETRY", "CLAUDE_CODE_ENHANCED_TELEMETRY_BETA"],
  ...["TRACEPARENT", "TRACESTATE", "gen_ai"],
  ...["cache_read", "finish_reasons"],
  "sluice_permission_wait_seconds_bucket",
  // Names in the middle of an explanation.
  ...["_b", "a_", "apiKey", "SERVER__TOOL"],
  // Codes that are composed.
  ...["protocol_handler", "protocol_protocol", "protocol_transport"],
]);

/** Breaches of one rule on one page. */
interface Breach {
  readonly page: string;
  readonly rule: "cell" | "example" | "line" | "link" | "name";
  readonly line: number;
  readonly text: string;
}

interface Page {
  readonly path: string;
  /** Its lines; those of code and comments are empty. */
  readonly prose: readonly string[];
  /** The text of its blocks of code. */
  readonly code: string;
  /** The lines on which those begin, with what stands behind the marks. */
  readonly fences: readonly (readonly [line: number, kind: string])[];
  readonly anchors: ReadonlySet<string>;
}

/** Faults of the pages, and the number of old ones left; `words` are those of the public API. */
export async function checkPages(
  words: ReadonlySet<string>,
  mayLower: boolean,
): Promise<{ readonly problems: readonly string[]; readonly left: number }> {
  const pages = new Map<string, Page>();
  for (const path of await pathsOfPages()) pages.set(path, await read(path));
  const breaches = [...pages.values()].flatMap((page) => [
    ...longOnes(page),
    ...deadLinks(page, pages),
    ...unrunExamples(page),
    ...(INSIDE.has(page.path) ? [] : unknownNames(page, words)),
  ]);
  const found = countsOf(breaches);
  const allowed = await readJson<Record<string, number>>(ALLOWANCE);
  if (mayLower) {
    const lower = Object.entries(found)
      .map(([key, count]) => [key, Math.min(count, allowed[key] ?? 0)] as const)
      .filter(([, count]) => count > 0);
    await writeJson(ALLOWANCE, Object.fromEntries(lower));
  }
  const problems = breaches
    .filter(({ page, rule }) => {
      const key = `${page} ${rule}`;
      return (found[key] ?? 0) > (allowed[key] ?? 0);
    })
    .map(({ page, line, text }) => `${page}:${line}: ${text}`);
  return { problems, left: breaches.length };
}

async function pathsOfPages(): Promise<readonly string[]> {
  const folders = ["docs", "bench", "examples", "fleet"];
  const isPage = (path: string) => path.endsWith(".md");
  const below = await Promise.all(
    folders.map((folder) => listFiles(folder, isPage)),
  );
  const roots = ["README", "CHANGELOG", "CONTRIBUTING", "SECURITY"];
  return [...roots.map((name) => `${name}.md`), ...below.flat()].sort();
}

async function read(path: string): Promise<Page> {
  const text = await Deno.readTextFile(new URL(path, ROOT));
  const blank = (part: string) => part.replaceAll(/[^\n]/g, "");
  const blocks = [...text.matchAll(/^( *)```.*?^\1```$/gms)];
  const prose = text
    .replaceAll(/^( *)```.*?^\1```$/gms, blank)
    .replaceAll(/<!--.*?-->/gs, blank)
    .split("\n");
  const titles = prose.filter((line) => /^#+ /.test(line));
  return {
    path,
    prose,
    code: blocks.map(([block]) => block).join("\n"),
    fences: blocks.map(({ 0: block, index }) =>
      [
        text.slice(0, index).split("\n").length,
        /^ *```(.*)/.exec(block)?.[1] ?? "",
      ] as const
    ),
    anchors: anchorsOf(titles),
  };
}

function anchorsOf(titles: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const title of titles) {
    const slug = title.replace(/^#+ /, "")
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase().replaceAll(/[^\w\s-]/g, "").replaceAll(" ", "-");
    let unique = slug;
    for (let at = 1; anchors.has(unique); at++) unique = `${slug}-${at}`;
    anchors.add(unique);
  }
  return anchors;
}

/** Generated from `protocol/`, whose descriptions are sentences. */
const PROTOCOL = "docs/protocol.md";

function* longOnes({ path, prose }: Page): Generator<Breach> {
  if (path === PROTOCOL) return;
  for (const [at, text] of prose.entries()) {
    const line = at + 1;
    if (!text.startsWith("|")) {
      if (text.length <= LONGEST_LINE) continue;
      const what = `a line of ${text.length} characters`;
      yield {
        page: path,
        rule: "line",
        line,
        text: `${what}: ${LONGEST_LINE}`,
      };
      continue;
    }
    for (const cell of text.split(/(?<!\\)\|/)) {
      const { length } = shownOf(cell);
      if (length <= LONGEST_CELL) continue;
      const what = `a cell of ${length} characters`;
      yield {
        page: path,
        rule: "cell",
        line,
        text: `${what}: ${LONGEST_CELL}`,
      };
    }
  }
}

/** The text of a cell as it is shown. */
function shownOf(cell: string): string {
  return cell.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[`*]|\\(?=\|)/g, "").trim();
}

/** Words behind `ts`, each of which has a test that runs or explains the block; with `ignore` behind, Deno does not check its types. */
const KINDS =
  /^ts(?: (?:deno|node|fleet|ignore|(?:bun|program)(?: ignore)?))?$/;

function* unrunExamples({ path, fences }: Page): Generator<Breach> {
  if (path !== "README.md" && !path.startsWith("docs/")) return;
  for (const [line, kind] of fences) {
    if (!/^(?:[jt]sx?|mjs|typescript|javascript)\b/.test(kind)) continue;
    if (KINDS.test(kind)) continue;
    const text = `no test runs a block of "${kind}"`;
    yield { page: path, rule: "example", line, text };
  }
}

function* deadLinks(
  { path, prose }: Page,
  pages: ReadonlyMap<string, Page>,
): Generator<Breach> {
  for (const [at, text] of prose.entries()) {
    for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const own = link.replace(`${REPOSITORY}/blob/HEAD/`, "/");
      if (/^\w+:/.test(own)) continue;
      const [to = "", anchor] = own.split("#");
      const target = to === ""
        ? path
        : to.startsWith("/")
        ? to.slice(1)
        : posix.join(posix.dirname(path), to);
      const page = pages.get(target);
      const isThere = page === undefined
        ? anchor === undefined && exists(target)
        : anchor === undefined || page.anchors.has(anchor);
      if (isThere) continue;
      yield {
        page: path,
        rule: "link",
        line: at + 1,
        text: `the link leads nowhere: ${link}`,
      };
    }
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(new URL(path, ROOT));
    return true;
  } catch {
    return false;
  }
}

/** Code in the text that looks like a name: words with a capital, a digit or an underscore inside, also called or with dots. */
const NAME = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*(?=$|\()/;

/** Files, and tools of MCP servers. */
const NOT_A_NAME = /\.(?:ts|mjs|py|md|json|txt|sh|yml)$|^mcp__/;

/** A file of this repository. */
const OUR_FILE =
  /^(?:bench|fleet\/(?:scripts|src|tests)|protocol|scripts|src|tests)\/[\w./]+\.\w+$/;

/** Options that hold further ones, with their keys. */
const OPTIONS: ReadonlySet<string> = new Set(OPTION_ROWS.map(([key]) => key));

function* unknownNames(
  { path, prose, code }: Page,
  words: ReadonlySet<string>,
): Generator<Breach> {
  const own = new Set(code.match(/[\w$]+/g));
  const isKnown = (word: string) =>
    words.has(word) || own.has(word) || FOREIGN.has(word);
  for (const [at, text] of prose.entries()) {
    for (const [, span = ""] of text.matchAll(/`([^`]+)`/g)) {
      if (OUR_FILE.test(span) && !exists(span)) {
        const what = `no such file: ${span}`;
        yield { page: path, rule: "name", line: at + 1, text: what };
      }
      if (NOT_A_NAME.test(span)) continue;
      const [name = ""] = NAME.exec(span) ?? [];
      const calls = [...span.matchAll(/([A-Za-z_$][\w$]*)\(/g)];
      const unknown = [
        ...name.split(".").filter((word) => /[a-z][A-Z]|_|^[A-Z]/.test(word)),
        ...calls.map(([, word = ""]) => word),
      ].find((word) => !isKnown(word)) ?? unknownOption(name);
      if (unknown === undefined) continue;
      yield {
        page: path,
        rule: "name",
        line: at + 1,
        text: `no such name in the API, the CLI or the protocol: ${unknown}`,
      };
    }
  }
}

/** The name of an option that its group does not have. */
function unknownOption(name: string): string | undefined {
  const [group, key] = name.split(".");
  const isGroup = key !== undefined &&
    [...OPTIONS].some((one) => one.startsWith(`${group}.`));
  return isGroup && !OPTIONS.has(`${group}.${key}`) ? name : undefined;
}

function countsOf(breaches: readonly Breach[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { page, rule } of breaches) {
    const key = `${page} ${rule}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
