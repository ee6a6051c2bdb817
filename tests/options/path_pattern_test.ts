import assert from "node:assert/strict";
import { pathTest } from "../../src/options/path_pattern.ts";
import { test } from "../_harness.ts";

const PLACE = { cwd: "/home/me/app", home: "/home/me" };

const COVERED: readonly [
  pattern: string,
  yes: readonly string[],
  no: readonly string[],
][] = [
  [
    "src/**",
    ["/home/me/app/src/a.ts", "src/a/b.ts", "./src/a", "src/../src/a"],
    [
      "/home/me/app/src",
      "/home/me/app/src2/a",
      "/home/me/app/lib/src/a",
      "src/../../x",
      "/home/me/app/src/../../../x",
      "/etc/src/a",
      "",
      "src/a\0",
    ],
  ],
  ["./src/**", ["src/a"], ["lib/src/a"]],
  ["/src/**", ["src/a"], ["/src/a", "lib/src/a"]],
  ["src", ["src", "src/a/b", "lib/src/a"], ["srcs", "/src"]],
  ["src/", ["src/a", "lib/src/a"], ["srcs/a"]],
  ["*.go", ["a.go", "x/y/a.go"], ["a.gox", "/tmp/a.go", "a/go"]],
  ["src/*.ts", ["src/a.ts", "src/.ts"], ["src/x/a.ts", "a.ts"]],
  ["src/**/x.ts", ["src/x.ts", "src/a/b/x.ts"], ["src/ax.ts", "x.ts"]],
  ["**/x.ts", ["x.ts", "a/b/x.ts"], ["/x.ts", "ax.ts"]],
  ["a?c", ["abc", "x/abc"], ["a/c", "abbc"]],
  ["**", ["a", "a/b"], ["/home/me/app", "/home/me", "../x"]],
  ["*", ["a", "a/b"], ["../x"]],
  ["//etc/**", ["/etc/hosts"], ["etc/hosts", "/home/me/app/etc/hosts"]],
  ["//**", ["/etc/hosts", "a"], []],
  ["~/notes/**", ["/home/me/notes/a", "~/notes/a"], [
    "notes/a",
    "~other/notes/a",
  ]],
  ["a.b+c(1)", ["a.b+c(1)"], ["axb+c(1)"]],
];

for (const [pattern, yes, no] of COVERED) {
  test(`pathTest() knows what ${pattern} covers`, () => {
    const covers = pathTest(pattern, PLACE);
    assert.ok(covers);
    for (const path of yes) assert.ok(covers(path), `${path} is covered`);
    for (const path of no) assert.ok(!covers(path), `${path} is not covered`);
  });
}

test("pathTest() does not guess at patterns it does not know", () => {
  const patterns = [
    "[ab].ts",
    "!src/**",
    "a\\b",
    "~other/x",
    "src/../x",
    "/",
    ".",
  ];
  for (const pattern of patterns.slice(0, -1)) {
    assert.equal(pathTest(pattern, PLACE), undefined, pattern);
  }
});

test("pathTest() covers nothing relative when the directory is unknown", () => {
  const covers = pathTest("src/**", {});
  assert.ok(covers && !covers("src/a") && !covers("/src/a"));
  const home = pathTest("~/x/**", { cwd: "/home/me" });
  assert.ok(home && !home("/home/me/x/a") && !home("~/x/a"));
  const root = pathTest("//etc/**", {});
  assert.ok(root?.("/etc/x") && !root("etc/x"));
});

test("pathTest() reads paths of Windows when the directory is one", () => {
  const place = { cwd: "C:\\Users\\me\\app", home: "C:\\Users\\me" };
  const covers = pathTest("src\\**", place);
  assert.ok(covers);
  assert.ok(covers("C:\\Users\\me\\app\\src\\a.ts"));
  assert.ok(covers("c:/Users/me/app/src/a.ts"));
  assert.ok(covers("src\\a.ts"));
  assert.ok(!covers("D:\\Users\\me\\app\\src\\a.ts"));
  assert.ok(!covers("src\\..\\..\\a.ts"));
  assert.ok(!covers("C:src\\a.ts"));
  assert.ok(pathTest("D:\\data\\**", place)?.("d:/data/x"));
  assert.ok(pathTest("~/x/**", place)?.("C:\\Users\\me\\x\\y"));
  assert.ok(!pathTest("src/**", PLACE)?.("src\\a"));
}, { ids: ["E-19"] });
