import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as compat from "@sluice/agent/compat";
import * as bridge from "../../stand_in/bridge.ts";
import * as browser from "../../stand_in/browser.ts";
import * as core from "../../stand_in/core.ts";
import * as extract from "../../stand_in/extract.ts";
import * as main from "../../stand_in/mod.ts";
import * as sdkTools from "../../stand_in/sdk_tools.ts";
import { readSource } from "../_examples.ts";
import { test } from "../_harness.ts";

/** Names of the official package, by its entries. */
const { entries }: {
  readonly entries: Readonly<
    Record<string, {
      readonly values: readonly string[];
      readonly types: readonly string[];
      readonly undeclared: readonly string[];
    }>
  >;
} = JSON.parse(
  readFileSync(new URL("./official_exports.json", import.meta.url), "utf8"),
);

/** The entries of the stand-in package: code, and the file of its types. */
const STAND_IN: Readonly<
  Record<string, { readonly code: object; readonly file: string }>
> = {
  ".": { code: main, file: "mod" },
  "./core": { code: core, file: "core" },
  "./extract": { code: extract, file: "extract" },
  "./browser": { code: browser, file: "browser" },
  "./bridge": { code: bridge, file: "bridge" },
  "./sdk-tools": { code: sdkTools, file: "sdk_tools" },
  "./sdk-tools.js": { code: sdkTools, file: "sdk_tools" },
};

/** Undeclared exports of the official package that are missing here, with the reason. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  "./browser CommandMatcher": "undeclared, and of the terminal",
  "./browser FileIndex": "undeclared, and of the terminal",
  "./browser z": "undeclared; zod is a package of its own",
};

/** The types that a file exports, by name. */
function typesOf(path: string): readonly string[] {
  const source = readSource(path);
  const lists = [...source.matchAll(/^export type \{([^}]*)\}/gm)]
    .flatMap(([, names = ""]) => names.split(",").map((one) => one.trim()));
  const single = [...source.matchAll(/^export (?:type|interface) (\w+)/gm)]
    .map(([, name = ""]) => name);
  const handedOn = [...source.matchAll(/^export (?:type )?\* from "(.*)"/gm)]
    .flatMap(([, from = ""]) =>
      typesOf(new URL(from, `file:///${path}`).pathname.slice(1))
    );
  return [
    ...lists,
    ...single,
    ...handedOn,
    ...handedOn.length > 0 && path.startsWith("stand_in/")
      ? Object.keys(compat)
      : [],
  ];
}

test("every value that the official package declares is here", () => {
  const own = Object.keys(compat);
  const values = entries["."]?.values ?? [];
  assert.deepEqual(values.filter((name) => !own.includes(name)), []);
  assert.deepEqual(own.filter((name) => !values.includes(name)), []);
});

test("every type that the official package declares is here", () => {
  const own = typesOf("src/compat/mod.ts");
  const types = entries["."]?.types ?? [];
  assert.deepEqual(types.filter((name) => !own.includes(name)), []);
});

test("the package that stands in for the official one has its entries", () => {
  assert.deepEqual(Object.keys(STAND_IN).sort(), Object.keys(entries).sort());
});

for (const [entry, { code, file }] of Object.entries(STAND_IN)) {
  test(`its entry ${entry} has each name that the official one has`, () => {
    const { values, types, undeclared } = entries[entry] ??
      { values: [], types: [], undeclared: [] };
    const own = Object.keys(code);
    const wanted = [...values, ...undeclared]
      .filter((name) => !(`${entry} ${name}` in LEFT_OUT));
    assert.deepEqual(wanted.filter((name) => !own.includes(name)), []);
    const ownTypes = typesOf(`stand_in/${file}.ts`);
    assert.deepEqual(types.filter((name) => !ownTypes.includes(name)), []);
  });
}

test("unsupported functions throw a named error when they are called, not before", async () => {
  const absent: readonly (readonly [string, unknown])[] = [
    ...Object.entries(bridge),
    ...Object.entries(extract),
    ...Object.entries(browser).filter(([name]) =>
      name !== "tool" && name !== "createSdkMcpServer"
    ),
    ["parseDirectConnectUrl", main.parseDirectConnectUrl],
    ["CommandMatcher", () => new main.CommandMatcher()],
    ["FileIndex", () => new main.FileIndex()],
    ["DirectConnectTransport", () => new main.DirectConnectTransport()],
  ];
  const calls = absent.flatMap(([name, call]) =>
    typeof call === "function" ? [[name, call] as const] : []
  );
  assert.equal(calls.length, 17);
  for (const [name, call] of calls) {
    await assert.rejects(async () => await call({}), (error: Error) => {
      assert.equal(error.name, "NotInThisPackageError");
      assert.ok(error.message.includes(name), error.message);
      return error instanceof main.NotInThisPackageError;
    });
  }
});
