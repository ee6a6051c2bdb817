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

/** A file of the package. */
interface Output {
  /** Its stem, that of the official file: instrumentation looks for `sdk.mjs` by its path. */
  readonly stem: string;
  readonly extension: "js" | "mjs";
}

/** What becomes of each source. */
const OUTPUTS: Readonly<Record<string, Output>> = {
  mod: { stem: "sdk", extension: "mjs" },
  core: { stem: "core", extension: "mjs" },
  extract: { stem: "extractFromBunfs", extension: "js" },
  browser: { stem: "browser-sdk", extension: "js" },
  bridge: { stem: "bridge", extension: "mjs" },
  sdk_tools: { stem: "sdk-tools", extension: "js" },
  absent: { stem: "absent", extension: "js" },
};

/** The entries of the official package, each with its source. */
const ENTRIES: Readonly<Record<string, string>> = {
  ".": "mod",
  "./core": "core",
  "./extract": "extract",
  "./browser": "browser",
  "./bridge": "bridge",
  "./sdk-tools": "sdk_tools",
  "./sdk-tools.js": "sdk_tools",
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
    const name = file.replace(`${SOURCE}/`, "");
    await Deno.copyFile(
      new URL(file, ROOT),
      new URL(`${FOLDER}/${name}`, ROOT),
    );
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
  source = source.replaceAll(/"\.\/(\w+)\.ts"/g, (_, one: string) => {
    const { stem, extension } = outputOf(one);
    return `"./${stem}.${extension}"`;
  });
  if (source.includes('"../')) {
    throw new Error(`"${path}" imports what is no entry of ${name}`);
  }
  const { code } = await transform(source, { loader: "ts", target: "es2022" });
  const { outputText, diagnostics = [] } = ts.transpileDeclaration(source, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { isolatedDeclarations: true },
  });
  const [problem] = diagnostics;
  if (problem !== undefined) {
    throw new Error(
      `${path}: ${ts.flattenDiagnosticMessageText(problem.messageText, " ")}`,
    );
  }
  const { stem, extension } = outputOf(
    path.slice(`${SOURCE}/`.length, -".ts".length),
  );
  const file = (ending: string) => new URL(`${FOLDER}/${stem}.${ending}`, ROOT);
  await Deno.writeTextFile(file(extension), code);
  await Deno.writeTextFile(file("d.ts"), outputText);
}

function outputOf(source: string): Output {
  const output = OUTPUTS[source];
  if (output !== undefined) return output;
  throw new Error(`"${SOURCE}/${source}.ts" has no name in the package`);
}

function manifest({ license, name, version }: DenoConfig): unknown {
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
    exports: Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, source]) => {
        const { stem, extension } = outputOf(source);
        return [
          entry,
          { types: `./${stem}.d.ts`, default: `./${stem}.${extension}` },
        ];
      }),
    ),
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
