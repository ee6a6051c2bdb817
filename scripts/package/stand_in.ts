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

/** The entries of the official package, each with the file of ours. */
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
  source = source.replaceAll(/"(\.\/\w+)\.ts"/g, '"$1.js"');
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
  const stem = path.replace(SOURCE, FOLDER).replace(/\.ts$/, "");
  await Deno.writeTextFile(new URL(`${stem}.js`, ROOT), code);
  await Deno.writeTextFile(new URL(`${stem}.d.ts`, ROOT), outputText);
}

function manifest({ license, name, version }: DenoConfig): unknown {
  return {
    name: STAND_IN_NAME,
    version,
    description:
      `Takes the place of @anthropic-ai/claude-agent-sdk ${SDK_VERSION}: programs and wrappers of it run on ${name} without an edit`,
    license,
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    homepage: `${REPOSITORY}/blob/HEAD/docs/migrating.md`,
    bugs: `${REPOSITORY}/issues`,
    type: "module",
    engines: { node: ">=20.19" },
    main: "mod.js",
    types: "mod.d.ts",
    exports: Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, file]) => [
        entry,
        { types: `./${file}.d.ts`, default: `./${file}.js` },
      ]),
    ),
    files: ["*.js", "*.d.ts"],
    dependencies: { [name]: version },
    // The CLI, as the official package brings it.
    optionalDependencies: Object.fromEntries(
      NATIVE.map((one) => [one, SDK_VERSION]),
    ),
    claudeCodeVersion: TESTED_VERSION,
  };
}
