import assert from "node:assert/strict";
import * as root from "../mod.ts";
import { hasSource, listSources, readSource } from "./_examples.ts";
import { test } from "./_harness.ts";

const PAGES = listSources("docs").filter((path) => path.endsWith(".md"));

test("docs of query() say how its streams end", () => {
  const doc = docOf("src/query.ts", "export function query<");
  assert.match(doc, /Ends of its streams: .*messages end, then `errors`/);
  assert.match(doc, /The messages throw a fatal error once every message/);
  assert.match(doc, /abort rejects at once with the signal's reason/);
}, { ids: ["QA-06"] });

test("docs of connect() warn of a close() at the same time", () => {
  const doc = docOf("src/client.ts", "  connect(");
  assert.match(doc, /Do not call `close\(\)` at the same time/);
  assert.match(
    readSource("docs/guide.md").replaceAll("\n", " "),
    /Do not call `connect\(\)` and `close\(\)` at the same time/,
  );
}, { ids: ["QA-07"] });

test("docs say that MCP servers are connected all or none", () => {
  const docs = [
    docOf("src/query.ts", "export function query<"),
    docOf("src/client.ts", "  connect("),
    docOf("src/types/options.ts", "readonly mcpServers?"),
  ];
  for (const doc of docs) {
    assert.match(
      doc,
      /all or none|If one MCP server cannot be connected, the others are closed|If Sluice cannot connect one of them, the conversation fails/,
    );
  }
  assert.match(
    readSource("docs/mcp_servers.md"),
    /If one server fails,\s+Sluice closes the others/,
  );
}, { ids: ["QA-08"] });

test("docs/decisions.md answers the ten open questions", () => {
  const section = sectionOf("docs/decisions.md", "The ten open questions");
  const questions = section.split("\n### ").slice(1);
  assert.deepEqual(
    questions.map((text) => text.split(".")[0]),
    numbersTo(10),
  );
  for (const text of questions) {
    assert.match(
      text,
      /^\d+\. .+\?\n\n[^]+\n- \*\*Why:\*\* [^]+\n- \*\*Option:\*\* ./,
    );
  }
  assert.match(readSource("README.md"), /\(docs\/decisions\.md\)/);
}, { ids: ["QA-09"] });

test("docs say what a stdio server inherits, and advise to narrow it", () => {
  const doc = docOf("src/types/mcp.ts", "readonly inheritEnv?");
  const section = sectionOf("docs/mcp_servers.md", "Environment");
  for (const text of [doc, section]) {
    assert.match(text, /inherit/);
    assert.match(text, /Narrow it|set\s+`inheritEnv` for every\s+server/i);
    assert.match(text, /can send (?:these secrets )?away/);
    for (const name of ["ANTHROPIC_*", "CLAUDE_*", "PATH", "TERM"]) {
      assert.ok(text.includes(name), name);
    }
  }
}, { ids: ["HUB-38"] });

test("docs/errors.md names every error class and code", () => {
  const page = readSource("docs/errors.md");
  const names = Object.keys(root)
    .filter((name) => /^[A-Z]\w+Error$/.test(name) && name !== "AgentError");
  assert.ok(names.length > 20);
  for (const name of names) {
    assert.ok(page.includes(`\n### ${name}\n`), name);
  }
  const files = [...listSources("src/errors"), "fleet/src/errors.ts"];
  const source = files.map(readSource).join("\n");
  for (const [, code] of source.matchAll(/\breadonly code = "(\w+)"/g)) {
    assert.ok(page.includes(`\`${code}\``), code);
  }
});

test("docs/architecture.md names every room, CONTRIBUTING.md files that exist", () => {
  const page = readSource("docs/architecture.md");
  const rooms = new Map<string, string>();
  for (const [, room = "", files = ""] of page.matchAll(ROOM_ROW)) {
    rooms.set(room, files);
  }
  for (const path of listSources("src")) {
    const [, room, file] = path.split("/");
    if (file !== undefined) assert.ok(rooms.has(String(room)), path);
    else assert.ok(page.includes(`\`${room}\``), path);
  }
  for (const [room, files] of rooms) {
    for (const [, file] of files.matchAll(/`(\w+\.ts)`/g)) {
      assert.ok(hasSource(`src/${room}/${file}`), `${room}/${file}`);
    }
  }
  const both = page + readSource("CONTRIBUTING.md");
  for (const [, path = ""] of both.matchAll(/`(\w+\/[\w/]+\.\w+)`/g)) {
    assert.ok(hasSource(`src/${path}`) || hasSource(path), path);
  }
});

test("README links every page of docs", () => {
  const text = readSource("README.md");
  for (const page of PAGES) assert.ok(text.includes(`](${page})`), page);
});

const ROOM_ROW = /^\| `(\w+)\/` *\|[^|]*\|([^|]*)\|$/gm;

/** The doc comment in front of a declaration, on one line. */
function docOf(path: string, declaration: string): string {
  const source = readSource(path);
  const end = source.indexOf(declaration);
  assert.ok(end > 0, `${path} has no ${declaration}`);
  return source.slice(source.lastIndexOf("/**", end), end)
    .replaceAll(/\s*\n\s*\*? ?/g, " ");
}

function sectionOf(page: string, title: string): string {
  const [, text = ""] = readSource(page).split(`\n## ${title}\n`);
  return text.split("\n## ")[0] ?? "";
}

function numbersTo(last: number): readonly string[] {
  return Array.from({ length: last }, (_, index) => String(index + 1));
}
