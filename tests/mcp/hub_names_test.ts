import assert from "node:assert/strict";
import { InvalidNameError } from "@sluice/agent";
import { joinName, splitName } from "@sluice/agent/mcp";
import { assignNames } from "../../src/mcp/names.ts";
import { test } from "../_harness.ts";

/** A generator whose numbers are the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor(state / 2 ** 32 * below);
  };
}

const LETTERS = ["a", "B", "7", "-", "_", "_", "__", ".", " ", "ö", "😀", "/"];

function word(next: (below: number) => number): string {
  const length = 1 + next(12);
  return Array.from({ length }, () => LETTERS[next(LETTERS.length)]).join("");
}

function nameOf(server: string, tool: string, longest?: number): string {
  const one = { server, tool };
  return assignNames([one], longest).names.get(one) ?? "";
}

test("splitName() is the inverse of joinName()", () => {
  const next = numbers(20_260_101);
  let joined = 0;
  for (let i = 0; i < 20_000; i++) {
    const [server, tool] = [word(next), word(next)];
    const isValid = !server.includes("__") && !server.endsWith("_");
    if (!isValid) {
      assert.throws(() => joinName(server, tool), InvalidNameError);
      continue;
    }
    joined++;
    assert.deepEqual(splitName(joinName(server, tool)), { server, tool });
  }
  assert.ok(joined > 5_000, `${joined} were joined`);
}, { ids: ["HUB-15"] });

test("joinName() is the inverse of splitName()", () => {
  const next = numbers(7);
  for (let i = 0; i < 20_000; i++) {
    const name = word(next) + word(next);
    const at = name.indexOf("__");
    if (at <= 0 || at + 2 === name.length) {
      assert.throws(() => splitName(name), InvalidNameError);
      continue;
    }
    const { server, tool } = splitName(name);
    assert.equal(joinName(server, tool), name);
  }
}, { ids: ["HUB-16"] });

for (const name of ["__x", "x__", "x", "", "a_b", "____"]) {
  test(`splitName() refuses ${JSON.stringify(name)}`, () => {
    assert.throws(() => splitName(name), (error) => {
      assert.ok(error instanceof InvalidNameError);
      assert.equal(error.code, "mcp_invalid_name");
      assert.ok(error.message.includes(JSON.stringify(name)));
      return true;
    });
  }, { ids: ["HUB-16", "HUB-21"] });
}

for (
  const [server, tool] of [["", "b"], ["a", ""], ["a__b", "c"], ["a_", "b"]]
) {
  test(`joinName() refuses ${JSON.stringify([server, tool])}`, () => {
    assert.throws(() => joinName(server ?? "", tool ?? ""), InvalidNameError);
  }, { ids: ["HUB-15"] });
}

test("assignNames() gives plain names as they are", () => {
  assert.equal(nameOf("files", "read"), "files__read");
  assert.equal(nameOf("a-1_b", "__x-_"), "a-1_b____x-_");
  const longest = "t".repeat(64 - "srv__".length);
  assert.equal(nameOf("srv", longest), `srv__${longest}`);
}, { ids: ["HUB-15"] });

// FNV-1a over UTF-8: names must be the same in every version.
for (
  const [server, tool, name] of [
    ["my.server", "t one", "my_server__t_one_e89cae84"],
    ["my server", "t.one", "my_server__t_one_25816a60"],
    ["_acme", "status", "_acme__status_7aed9572"],
    ["srv", "tööl", "srv__t__l_85692e72"],
    ["srv", "😀", "srv____e539b507"],
    ["srv", "", "srv___63b73816"],
    ["srv", "t".repeat(60), `srv__${"t".repeat(50)}_fd7362d6`],
    ["s".repeat(200), "t", `${"s".repeat(55)}_0fd07419`],
  ] as const
) {
  test(`assignNames() gives the hashed name ${name}`, () => {
    assert.equal(nameOf(server, tool), name);
    assert.match(name, /^[A-Za-z0-9_-]{1,64}$/);
  });
}

test("assignNames() keeps the limit it is given", () => {
  assert.equal(nameOf("files", "read", 11), "files__read");
  assert.equal(nameOf("files", "read", 10), "f_d930a704");
});

test("assignNames() gives names that depend on nothing but their parts", () => {
  const tools = ["a", "b.c", "d e"].flatMap((server) =>
    ["x", "y z"].map((tool) => ({ server, tool }))
  );
  const alone = tools.map(({ server, tool }) => nameOf(server, tool));
  const { names, clashes } = assignNames(tools.toReversed());
  assert.deepEqual(tools.map((one) => names.get(one)), alone);
  assert.deepEqual(clashes, []);
});

test("assignNames() gives another hash to the second of two equal names", () => {
  const CLASHES = [
    [
      { server: "my_server", tool: "t_one_e89cae84" },
      { server: "my.server", tool: "t one" },
    ],
    // A NUL joins them to one text.
    [{ server: "a", tool: "\0b" }, { server: "a\0", tool: "b" }],
    // Their hashes are equal.
    [{ server: "srv", tool: "t?/./!.." }, { server: "srv", tool: "t:!?*. ." }],
  ] as const;
  for (const [one, other] of CLASHES) {
    const { names, clashes } = assignNames([one, other]);
    assert.equal(names.get(one), nameOf(one.server, one.tool));
    assert.notEqual(names.get(other), names.get(one));
    assert.equal(clashes.length, 1);
    assert.ok(clashes[0]?.includes(names.get(one) ?? ""));
  }
});
