// Builds npm/: `deno pack` for types and manifest, esbuild for one file per
// entry plus shared chunks, then refusal of a result that is broken.
import { build, type Metafile, type Plugin, stop } from "esbuild";
import { basename } from "node:path/posix";
import { codeName, typesPath } from "./entries.ts";
import {
  DENO,
  type DenoConfig,
  exists,
  listFiles,
  mustRun,
  PROGRAMS,
  readConfig,
  readJson,
  remove,
  REPOSITORY,
  ROOT,
  ROOT_PATH,
  say,
  writeJson,
} from "./project.ts";

/** The part of a package.json that is read here. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, { readonly types?: string }>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const KEYWORDS: readonly string[] = [
  "agent",
  "bun",
  "claude",
  "claude-code",
  "deno",
  "mcp",
  "sdk",
  "web-streams",
];

const config = await readConfig();
for (const path of Object.values(config.exports)) {
  if (!await exists(path)) throw new Error(`Entry does not exist: "${path}"`);
}
await unpack();
const packed = await readJson<Manifest>("npm/package.json");
await keepTypesOnly();
const bundle = await bundleEntries();
await referenceDisposableTypes();
await refuseBroken(bundle);
await writeJson("npm/package.json", complete(Object.keys(bundle.outputs)));
say(
  `npm/ holds ${packed.name}@${packed.version}: ${
    Object.keys(config.exports).length
  } entries, ${Object.keys(bundle.outputs).length} files of code`,
);

async function unpack(): Promise<void> {
  await remove("npm");
  await Deno.mkdir(new URL("npm/", ROOT));
  const flags = ["--allow-dirty", "--no-source-maps", "--output"];
  await mustRun(DENO, ["pack", ...flags, "npm/package.tgz"]);
  const cwd = new URL("npm/", ROOT);
  await mustRun("tar", ["-xzf", "package.tgz", "--strip-components=1"], {
    cwd,
  });
  await remove("npm/package.tgz");
}

/** The declarations move to types/; the code makes room for the bundle. */
async function keepTypesOnly(): Promise<void> {
  const files = await listFiles("npm");
  for (const file of files.filter((one) => /\.(d\.ts|js)$/.test(one))) {
    if (file.endsWith(".d.ts")) {
      const target = new URL(file.replace("npm/", "npm/types/"), ROOT);
      await Deno.mkdir(new URL("./", target), { recursive: true });
      await Deno.rename(new URL(file, ROOT), target);
    } else {
      await remove(file);
    }
  }
  await remove("npm/src");
}

/** All files lie in one folder, so that a path relative to `import.meta.url` holds wherever code ends up. */
async function bundleEntries(): Promise<Metafile> {
  const programs: string[] = [];
  for (const path of PROGRAMS) if (await exists(path)) programs.push(path);
  const entries = [
    ...Object.entries(config.exports).map(([entry, path]) => ({
      in: path,
      out: codeName(entry),
    })),
    ...programs.map((path) => ({ in: path, out: basename(path, ".ts") })),
  ];
  try {
    const { metafile } = await build({
      entryPoints: entries,
      absWorkingDir: ROOT_PATH,
      outdir: "npm",
      bundle: true,
      splitting: true,
      metafile: true,
      format: "esm",
      platform: "neutral",
      target: "es2022",
      packages: "external",
      chunkNames: "[name]-[hash]",
      legalComments: "none",
      logLevel: "error",
      plugins: [pathsToPrograms(programs)],
    });
    return metafile;
  } finally {
    stop();
  }
}

/** `new URL("./program.ts", import.meta.url)` has to name the file beside the bundle. */
function pathsToPrograms(programs: readonly string[]): Plugin {
  const pattern = /new URL\(\s*"([^"]+)\.ts",\s*import\.meta\.url,?\s*\)/g;
  return {
    name: "paths to programs",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const source = await Deno.readTextFile(path);
        const contents = source.replace(pattern, (_whole, relative: string) => {
          const name = basename(relative);
          if (!programs.some((one) => basename(one, ".ts") === name)) {
            throw new Error(`"${path}" names no built program: "${name}.ts"`);
          }
          return `new URL("./${name}.js", import.meta.url)`;
        });
        return { contents, loader: "ts" };
      });
    },
  };
}

/** Lets users compile without `lib: ["esnext.disposable"]` in their own settings. */
async function referenceDisposableTypes(): Promise<void> {
  for (const file of await listFiles("npm/types")) {
    const url = new URL(file, ROOT);
    const text = await Deno.readTextFile(url);
    if (/\bSymbol\.(asyncD|d)ispose\b|\b(Async)?Disposable\b/.test(text)) {
      const reference = '/// <reference lib="esnext.disposable" />\n';
      await Deno.writeTextFile(url, reference + text);
    }
  }
}

/** `deno pack` exits with 0 when it drops types or leaves an import unresolved. */
async function refuseBroken({ outputs }: Metafile): Promise<void> {
  const dependencies = Object.keys(packed.dependencies ?? {});
  for (const name of dependencies) {
    if (/^@(jsr|std)\//.test(name)) {
      throw new Error(`JSR package became a dependency: "${name}"`);
    }
  }
  for (const [entry, source] of Object.entries(config.exports)) {
    if (!await exists(`npm/${typesPath(source)}`)) {
      throw new Error(`Entry has no types: "${entry}"`);
    }
  }
  for (const [file, { imports }] of Object.entries(outputs)) {
    for (const { path, external } of imports) {
      const isKnown = !external || path.startsWith("node:") ||
        dependencies.some((one) => path === one || path.startsWith(`${one}/`));
      if (!isKnown) throw new Error(`"${file}" imports "${path}"`);
    }
  }
}

function complete(outputs: readonly string[]): unknown {
  const exports = Object.entries(config.exports).map(([entry, source]) => [
    entry,
    { types: `./${typesPath(source)}`, default: `./${codeName(entry)}.js` },
  ]);
  const code = outputs.map((path) => path.replace("npm/", "")).sort();
  return {
    name: packed.name,
    version: packed.version,
    description: config.description,
    keywords: KEYWORDS,
    license: config.license,
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    homepage: `${REPOSITORY}#readme`,
    bugs: `${REPOSITORY}/issues`,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20.19" },
    exports: Object.fromEntries(exports),
    files: [...code, "types"],
    dependencies: onlyRuntime(packed, config),
  };
}

/** With the ranges of deno.json, which `deno pack` may have narrowed. */
function onlyRuntime(
  { dependencies = {} }: Manifest,
  { imports }: DenoConfig,
): Readonly<Record<string, string>> {
  const ranges = Object.entries(dependencies).map(([name, range]) => {
    const wanted = imports[name]?.replace(`npm:${name}@`, "");
    return [name, wanted ?? range];
  });
  return Object.fromEntries(ranges);
}
