import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { fileURLToPath } from "node:url";
import { test } from "../_harness.ts";

const ROOT = new URL("../../", import.meta.url);
const OFFICIAL = new URL(
  ".official/node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts",
  ROOT,
);
const TSC = fileURLToPath(new URL("node_modules/typescript/bin/tsc", ROOT));
const FOLDER = new URL(".official/types/", ROOT);

const skip = existsSync(OFFICIAL)
  ? undefined
  : "needs the official package: deno task compat fetches it";

/** Compiles files of a folder beside the official package; the errors of the compiler. */
function compile(
  name: string,
  include: readonly string[],
  paths?: Record<string, string[]>,
): Promise<string> {
  const config = new URL(`${name}.json`, FOLDER);
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: "esnext",
        target: "esnext",
        lib: ["esnext", "dom"],
        moduleResolution: "bundler",
        skipLibCheck: true,
        types: ["node"],
        typeRoots: ["../../node_modules/@types"],
        allowImportingTsExtensions: true,
        noUncheckedIndexedAccess: true,
        paths,
      },
      include,
    }),
  );
  return new Promise((resolve) => {
    const args = [TSC, "-p", fileURLToPath(config)];
    execFile(
      "node",
      args,
      { maxBuffer: 1e8 },
      (_error, stdout) => resolve(stdout),
    );
  });
}

test(
  "the programs, also those with types of the API's package and of Node, compile on the official package",
  async () => {
    mkdirSync(FOLDER, { recursive: true });
    const from = fileURLToPath(new URL("programs/", import.meta.url));
    cpSync(from, fileURLToPath(new URL("programs/", FOLDER)), {
      recursive: true,
    });
    const own = readFileSync(new URL("_program.ts", import.meta.url), "utf8");
    writeFileSync(
      new URL("_program.ts", FOLDER),
      own.replaceAll(
        "../../src/compat/mod.ts",
        "@anthropic-ai/claude-agent-sdk",
      )
        .replace(
          /import type \{ ModelTurn \}.*\n/,
          "type ModelTurn = unknown;\n",
        ),
    );
    copyBeside();
    const all = ["programs/*.ts", "beside/*.ts"];
    assert.equal(await compile("programs", all), "");
  },
  { skip, only: "deno" },
);

/** Programs with types of the API's own package and of Node, for either package. */
function copyBeside(): void {
  mkdirSync(FOLDER, { recursive: true });
  const from = fileURLToPath(new URL("beside/", import.meta.url));
  cpSync(from, fileURLToPath(new URL("beside/", FOLDER)), { recursive: true });
}

test(
  "programs with types of the API's package and of Node compile on this one",
  async () => {
    const official = "@anthropic-ai/claude-agent-sdk";
    copyBeside();
    const errors = await compile("beside_own", ["beside/*.ts"], {
      [official]: ["../../stand_in/mod.ts"],
      [`${official}/sdk-tools`]: ["../../stand_in/sdk_tools.ts"],
    });
    assert.equal(errors.match(/^beside\/.*$/gm), null);
  },
  { skip, only: "deno" },
);

test(
  "each exported type can be assigned to the official one and back, but for those that say why",
  async () => {
    mkdirSync(FOLDER, { recursive: true });
    const { entries } = JSON.parse(
      readFileSync(new URL("official_exports.json", import.meta.url), "utf8"),
    );
    const { types, values }: Record<string, readonly string[]> = entries["."];
    const excused = JSON.parse(
      readFileSync(new URL("type_exceptions.json", import.meta.url), "utf8"),
    );
    const lines = [
      'import type * as O from "@anthropic-ai/claude-agent-sdk";',
      'import type * as C from "../../src/compat/mod.ts";',
      ...(types ?? []).filter((name) => name !== "InferShape").flatMap(
        (name) => {
          const of = name === "SdkMcpToolDefinition" ? "<any>" : "";
          const [ours, theirs] = [`C.${name}${of}`, `O.${name}${of}`];
          return [
            `export const ours_${name}: [${ours}] extends [${theirs}] ? true : false = true;`,
            `export const theirs_${name}: [${theirs}] extends [${ours}] ? true : false = true;`,
          ];
        },
      ),
      ...(values ?? []).map((name) =>
        `export const value_${name}: typeof C.${name} extends typeof O.${name} ? true : false = true;`
      ),
    ];
    writeFileSync(new URL("assign.ts", FOLDER), lines.join("\n"));
    const errors = await compile("assign", ["assign.ts"]);
    const failed = [...errors.matchAll(/assign\.ts\((\d+),/g)].map(([, line]) =>
      /const (\w+)/.exec(lines[Number(line) - 1] ?? "")?.[1] ?? ""
    );
    assert.deepEqual([...new Set(failed)].sort(), Object.keys(excused));
  },
  { skip, only: "deno" },
);
