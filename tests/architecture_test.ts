import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { posix } from "node:path";
import { promisify } from "node:util";
import { fixture } from "./_children.ts";
import { hasSource, listSources, readSource } from "./_examples.ts";
import { test } from "./_harness.ts";

// docs/architecture.md is the drawing; what it says of files is read from its tables and held to the code.
const PAGE = "docs/architecture.md";
const DRIVER = new URL("./fixtures/walk_driver.ts", import.meta.url);

/** The walks, and what {@link DRIVER} calls them. */
const WALKS: Readonly<Record<string, string>> = {
  "one line of stdout": "line",
  "a prompt": "prompt",
  "a permission": "permission",
  "an MCP call": "call",
};

/** Rooms that help everywhere, and are no stage of a walk. */
const HELPERS = /^(async|errors|observe|runtime|types)\//;

const FILES = listSources("src").map((path) => path.slice("src/".length))
  .filter((path) => path.endsWith(".ts"));

/** The text between a heading and the next. */
function section(heading: string): string {
  const [, text] = readSource(PAGE).split(`\n## ${heading}\n`);
  assert.ok(text, `${PAGE} has no section "${heading}"`);
  return text.split("\n## ")[0] ?? "";
}

/** The rows of a section's tables, as cells. */
function rows(heading: string): readonly (readonly string[])[] {
  return section(heading).split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[ |:-]+\|$/.test(line))
    .slice(1)
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()));
}

/** Texts in code marks. */
function codes(text = ""): readonly string[] {
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** The files of a walk, in order. */
function walk(name: string): readonly string[] {
  return rows(`Path of ${name}`).map(([, file]) => codes(file)[0] ?? "");
}

/** The files that its last paragraph names. */
function besides(name: string): readonly string[] {
  return codes(section(`Path of ${name}`).trim().split("\n\n").at(-1));
}

test("each file that docs/architecture.md names exists", () => {
  const named = codes(readSource(PAGE)).filter((code) =>
    /^[a-z_]+\/[\w/]+\.(ts|md|mjs)$/.test(code)
  );
  const first = rows("The rooms").flatMap(([room, , files]) =>
    codes(files).map((file) => `${codes(room)[0]}${file}`)
  );
  const missing = [...named, ...first].filter((file) =>
    !hasSource(`src/${file}`) && !hasSource(file)
  );
  assert.deepEqual(missing, []);
});

test("a line of stdout passes at most eight files, and no walk passes one twice", () => {
  assert.ok(walk("one line of stdout").length <= 8);
  for (const name of Object.keys(WALKS)) {
    const files = walk(name);
    assert.ok(files.length > 3, name);
    assert.deepEqual(files, [...new Set(files)], name);
  }
});

for (const [index, [name, driven]] of Object.entries(WALKS).entries()) {
  test(
    `the walk of ${name} and those before it name all that runs, and nothing else`,
    async () => {
      const { command, args, cwd, env } = fixture(DRIVER, driven);
      const { stdout } = await promisify(execFile)(command, [...args], {
        ...cwd !== undefined && { cwd },
        env: { ...env },
      });
      const ran: readonly string[] = JSON.parse(stdout);
      const files = walk(name);
      const still = files.filter((file) => !ran.includes(file));
      assert.deepEqual(still, [], "Nothing of theirs runs");
      const named = new Set(
        Object.keys(WALKS).slice(0, index + 1).flatMap((one) => [
          ...walk(one),
          ...besides(one),
        ]),
      );
      const unnamed = ran.filter((file) =>
        !named.has(file) && !HELPERS.test(file)
      );
      assert.deepEqual(unnamed, [], "No walk up to here names them");
      assert.deepEqual(besides(name).filter((file) => !ran.includes(file)), []);
    },
    {
      skip: "Bun" in globalThis
        ? "needs an inspector that counts calls"
        : undefined,
    },
  );
}

test("each room stands in the table of rooms and on one floor, and imports no code of a higher one", () => {
  const rooms = new Set(
    FILES.filter((file) => file.includes("/")).map((file) =>
      file.slice(0, file.indexOf("/"))
    ),
  );
  const listed = rows("The rooms").flatMap(([room]) =>
    codes(room).map((code) => code.slice(0, -1))
  );
  assert.deepEqual(listed.toSorted(), [...rooms].sort());
  const placed = rows("Imports between rooms").flatMap(([floor, names]) =>
    codes(names).map((room) => [room, Number(floor)] as const)
  );
  const floors = new Map(placed);
  const once = placed.map(([room]) => room).toSorted();
  assert.deepEqual(once, [...new Set(once)]);
  assert.deepEqual([...rooms].filter((room) => !floors.has(room)), []);
  const climbing = FILES.flatMap((file) => {
    const from = floors.get(file.split("/")[0] ?? "") ?? Infinity;
    const code = readSource(`src/${file}`);
    const found = code.matchAll(
      /^(?:im|ex)port (?!type)[^;]*? from "([^"]+)"/gm,
    );
    return [...found]
      .map(([, path = ""]) => posix.join(posix.dirname(file), path))
      .filter((to) => (floors.get(to.split("/")[0] ?? "") ?? 0) > from)
      .map((to) => `${file} imports ${to}`);
  });
  assert.deepEqual(climbing, []);
});

test("each word of a room is listed once, and its room says it", () => {
  const words = rows("Terms").map(([room, word = ""]) => ({
    room: codes(room)[0] ?? "",
    word,
  }));
  const all = words.map(({ word }) => word);
  assert.deepEqual(all, [...new Set(all)]);
  const silent = words.filter(({ room, word }) => {
    const pattern = new RegExp(word.replaceAll(" ", "[ _]?"), "i");
    return !FILES.filter((file) => file.startsWith(room)).some((file) =>
      pattern.test(file) || pattern.test(readSource(`src/${file}`))
    );
  });
  assert.deepEqual(silent, []);
});
