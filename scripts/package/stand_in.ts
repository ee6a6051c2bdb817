// Builds npm-compat/: the package that takes the place of the official SDK by its name, and has this package do the work.
import { transform } from "esbuild";
import ts from "typescript";
import { SDK_VERSION } from "../../src/compat/errors.ts";
import { TESTED_VERSION } from "../../src/options/versions.ts";
import {
  type DenoConfig,
  listFiles,
  remove,
  REPOSITORY,
  ROOT,
  writeJson,
} from "../project.ts";

const FOLDER = "npm-compat";
const SOURCE = "stand_in";

/** Name of the package. */
export const STAND_IN_NAME = "@sluice/claude-agent-sdk";

/**
 * Output of each source: a file by the official name, since instrumentation looks for `sdk.mjs` by its path, and the
 * entries that it is.
 */
const OUTPUTS: Readonly<Record<string, readonly [string, ...string[]]>> = {
  mod: ["sdk.mjs", "."],
  core: ["core.mjs", "./core"],
  extract: ["extractFromBunfs.js", "./extract"],
  browser: ["browser-sdk.js", "./browser"],
  bridge: ["bridge.mjs", "./bridge"],
  sdk_tools: ["sdk-tools.js", "./sdk-tools", "./sdk-tools.js"],
  absent: ["absent.js"],
};

/** The packages that hold the CLI for a platform each; the official package brings the one that fits. */
const NATIVE: readonly string[] = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "win32-x64",
  "win32-arm64",
].map((target) => `@anthropic-ai/claude-agent-sdk-${target}`);

/** Writes the package; gives how many files of code it has. */
export async function buildStandIn(config: DenoConfig): Promise<number> {
  await remove(FOLDER);
  await Deno.mkdir(new URL(`${FOLDER}/`, ROOT));
  const sources = await listFiles(SOURCE, (path) => path.endsWith(".ts"));
  for (const path of sources) await write(path, config);
  for (const file of ["LICENSE", `${SOURCE}/README.md`]) {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    await writeText(file.replace(`${SOURCE}/`, ""), text);
  }
  await writeJson(`${FOLDER}/package.json`, manifest(config));
  return sources.length;
}

/** One file as code and as declarations; what lies in `src` comes from the package. */
async function write(path: string, { exports, name }: DenoConfig) {
  let source = await Deno.readTextFile(new URL(path, ROOT));
  for (const [entry, file] of Object.entries(exports)) {
    const text = file.replace("./", "../");
    source = source.replaceAll(`"${text}"`, `"${name}${entry.slice(1)}"`);
  }
  source = source.replaceAll(
    /"\.\/(\w+)\.ts"/g,
    (_, one: string) => `"./${outputOf(one)}"`,
  );
  if (source.includes('"../')) {
    throw new Error(`"${path}" imports what is no entry of ${name}`);
  }
  const { code } = await transform(source, { loader: "ts", target: "es2022" });
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true },
  });
  for (const { messageText } of diagnostics) {
    const text = ts.flattenDiagnosticMessageText(messageText, " ");
    throw new Error(`${path}: ${text}`);
  }
  const output = outputOf(path.slice(`${SOURCE}/`.length, -".ts".length));
  await writeText(output, code);
  await writeText(typesOf(output), outputText);
}

function outputOf(source: string): string {
  const output = OUTPUTS[source];
  if (output !== undefined) return output[0];
  throw new Error(`"${SOURCE}/${source}.ts" has no name in the package`);
}

function typesOf(output: string): string {
  return output.replace(/\.m?js$/, ".d.ts");
}

async function writeText(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(new URL(`${FOLDER}/${name}`, ROOT), text);
}

function manifest({ license, name, version }: DenoConfig): unknown {
  const exports = Object.values(OUTPUTS).flatMap(([file, ...entries]) =>
    entries.map((entry) => [
      entry,
      { types: `./${typesOf(file)}`, default: `./${file}` },
    ])
  );
  return {
    name: STAND_IN_NAME,
    // The one it stands for: ranges of wrappers and of instrumentation are about that.
    version: SDK_VERSION,
    description:
      `Takes the place of @anthropic-ai/claude-agent-sdk ${SDK_VERSION}: programs and wrappers of it run on ${name} without an edit`,
    license,
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    homepage: `${REPOSITORY}/blob/HEAD/docs/migrating.md`,
    bugs: `${REPOSITORY}/issues`,
    type: "module",
    engines: { node: ">=20.19" },
    main: "sdk.mjs",
    types: "sdk.d.ts",
    exports: Object.fromEntries(exports),
    files: ["*.js", "*.mjs", "*.d.ts"],
    // A range: this package is published once for each official version.
    dependencies: { [name]: `^${version}` },
    // The CLI, as the official package brings it.
    optionalDependencies: Object.fromEntries(
      NATIVE.map((one) => [one, SDK_VERSION]),
    ),
    claudeCodeVersion: TESTED_VERSION,
  };
}
