// Builds npm/: `deno pack` for types and manifest, Rollup for one file per
// entry plus few shared chunks, esbuild for what runs of npm packages.
import { stop, transform } from "esbuild";
import { basename, dirname, join } from "node:path/posix";
import {
  type GetModuleInfo,
  type OutputChunk,
  type Plugin,
  rollup,
} from "rollup";
import {
  codeName,
  PROGRAMS,
  readConfig,
  REPOSITORY,
  ROOT,
  ROOT_PATH,
  say,
  SCHEMA_FILE,
  typesPath,
  writeJson,
} from "./project.ts";
import { OLDEST } from "../src/command/oldest_runtimes.ts";
import { SDK_VERSION } from "../src/compat/errors.ts";
import { unpackTypes } from "./package/declarations.ts";
import { buildFleet } from "./package/fleet.ts";
import { launcher } from "./package/launcher.ts";
import { buildStandIn, STAND_IN_NAME } from "./package/stand_in.ts";
import { adaptTypes } from "./package/types.ts";
import { vendor, vendorPath } from "./package/vendor.ts";

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

/** Modules that are loaded together, and whose code therefore lies in one file: Node takes half a millisecond for each. */
const CHUNKS: readonly (readonly [name: string, root: string])[] = [
  ["core", "mod.ts"],
  ["open", "src/conversation/session.ts"],
  // Code that the adapters share must not lie in Node's: Deno takes 20 ms for its copies of Node's modules.
  ["open", "src/runtime/machine.ts"],
  ["node", "src/runtime/node.ts"],
  ["parts", "src/conversation/stages.ts"],
  ["parts", "src/conversation/handshake.ts"],
  ["parts", "src/conversation/version.ts"],
];

/** The program that `npx` runs. */
const PROGRAM = "sluice.js";

/** The licences of what was taken from others, beside our own. */
const LICENSES = "THIRD_PARTY_LICENSES";

const closures = new Map<string, ReadonlySet<string>>();
const config = await readConfig();
await unpackTypes("./", "npm");
await adaptTypes();
const specifiers = new Set<string>();
const chunks = await bundleEntries();
const vendored = await vendor([...specifiers].sort());
const standIn = await buildStandIn(config);
const fleet = await buildFleet(config);
stop();
await writeProgram();
await writeLicenses();
await linkReadme();
await Deno.copyFile(
  new URL(SCHEMA_FILE, ROOT),
  new URL(`npm/${SCHEMA_FILE}`, ROOT),
);
const files = chunks.map(({ fileName }) => fileName);
await writeJson("npm/package.json", complete(files));
say(
  `npm/ holds ${config.name}@${config.version}: ${
    Object.keys(config.exports).length
  } entries, ${files.length} files of code, parts of ${vendored.length} packages`,
);
say(`npm-fleet/ holds ${fleet}`);
say(`npm-compat/ holds ${STAND_IN_NAME}@${SDK_VERSION}: ${standIn} files`);

/** All files lie in one folder, so that a path relative to `import.meta.url` holds wherever code ends up. */
async function bundleEntries(): Promise<readonly OutputChunk[]> {
  const entries = Object.entries(config.exports).map(([entry, path]) =>
    [codeName(entry), ROOT_PATH + path.replace("./", "")] as const
  );
  const names = entries.map(([name]) => name);
  if (new Set(names).size < names.length) {
    throw new Error(`Two entries share a file: ${names.join(", ")}`);
  }
  const chunks = [...await bundle(Object.fromEntries(entries))];
  // One bundle per program, so that each loads its own code only.
  for (const path of PROGRAMS) {
    const name = basename(path, ".ts");
    chunks.push(...await bundle({ [name]: ROOT_PATH + path }));
  }
  return chunks;
}

async function bundle(
  input: Readonly<Record<string, string>>,
): Promise<readonly OutputChunk[]> {
  const build = await rollup({
    input,
    external: isExternal,
    plugins: [typescript(), dense()],
    treeshake: { moduleSideEffects: false },
    onwarn: ({ message }) => {
      throw new Error(`Rollup warns: ${message}`);
    },
  });
  const { output } = await build.write({
    dir: ROOT_PATH + "npm",
    format: "es",
    entryFileNames: "[name].js",
    chunkFileNames: "[name]-[hash].js",
    // Imports for nothing but an earlier load are what bundlers of users warn about.
    hoistTransitiveImports: false,
    paths: (id) => specifiers.has(id) ? vendorPath(id) : id,
    // A program alone is one file.
    ...(Object.keys(input).length > 1 && {
      manualChunks: (
        id: string,
        { getModuleInfo }: { readonly getModuleInfo: GetModuleInfo },
      ) => chunkOf(id, getModuleInfo),
    }),
  });
  await build.close();
  return output.filter((one) => one.type === "chunk");
}

/** Notes the modules of npm packages. */
function isExternal(id: string): boolean {
  if (id.startsWith(".") || id.startsWith("/")) return false;
  if (!id.startsWith("node:")) specifiers.add(id);
  return true;
}

function chunkOf(id: string, getModuleInfo: GetModuleInfo): string | undefined {
  for (const [name, root] of CHUNKS) {
    let closure = closures.get(root);
    if (closure === undefined) {
      closure = closureOf(ROOT_PATH + root, getModuleInfo);
      closures.set(root, closure);
    }
    if (closure.has(id)) return name;
  }
  return undefined;
}

/** A module and all that it imports statically; nothing when it is not part of this build. */
function closureOf(
  root: string,
  getModuleInfo: GetModuleInfo,
): ReadonlySet<string> {
  const seen = new Set<string>();
  const waiting = [root];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const info = getModuleInfo(id);
    if (info === null || info.isExternal || seen.has(id)) continue;
    seen.add(id);
    waiting.push(...info.importedIds);
  }
  return seen;
}

/** Strips types, and points `new URL("./program.ts", import.meta.url)` at the file beside the bundle. */
function typescript(): Plugin {
  const pattern = /new URL\(\s*"([^"]+)\.ts",\s*import\.meta\.url,?\s*\)/g;
  return {
    name: "typescript",
    resolveId: (id, importer) =>
      importer !== undefined && id.startsWith(".")
        ? join(dirname(importer), id)
        : null,
    transform: async (source, path) => {
      const text = source.replace(pattern, (_whole, relative: string) => {
        const name = basename(relative);
        if (!PROGRAMS.some((one) => basename(one, ".ts") === name)) {
          throw new Error(`"${path}" names no built program: "${name}.ts"`);
        }
        return `new URL("./${name}.js", import.meta.url)`;
      });
      const { code } = await transform(text, {
        loader: "ts",
        target: "es2022",
      });
      return { code, map: null };
    },
  };
}

/** Leaves out comments and indentation, which cost Node a tenth of an import; names stay, and lines short enough to find a place in. */
function dense(): Plugin {
  return {
    name: "dense",
    renderChunk: async (code) => {
      const { code: text } = await transform(code, {
        loader: "js",
        target: "es2022",
        format: "esm",
        minifyWhitespace: true,
        lineLimit: 120,
      });
      return { code: text, map: null };
    },
  };
}

/** Its pages stay in the repository. */
async function linkReadme(): Promise<void> {
  const url = new URL("npm/README.md", ROOT);
  const text = await Deno.readTextFile(url);
  const linked = text.replaceAll(
    /(!?)\[([^\]]*)\]\((?!https?:|#)([^)\s]+)\)/g,
    (_whole, picture: string, text: string, path: string) =>
      `${picture}[${text}](${REPOSITORY}/${
        picture === "" ? "blob" : "raw"
      }/HEAD/${path})`,
  );
  await Deno.writeTextFile(url, linked);
}

/** Only Node 24 and later tell a module that it is the main one; npm makes a command of this file. */
async function writeProgram(): Promise<void> {
  const url = new URL(`npm/${PROGRAM}`, ROOT);
  await Deno.writeTextFile(url, launcher(), { mode: 0o755 });
}

async function writeLicenses(): Promise<void> {
  const parts = vendored.map(({ name, version, license, terms }) =>
    `${name} ${version} (${license})\n\n${terms}\n`
  );
  const head = "vendor/ holds parts of these packages:\n";
  const text = [head, ...parts].join(`\n${"-".repeat(80)}\n\n`);
  await Deno.writeTextFile(new URL(`npm/${LICENSES}`, ROOT), text);
}

function complete(code: readonly string[]): unknown {
  const exports = Object.entries(config.exports).map(([entry, source]) => [
    entry,
    { types: `./${typesPath(source)}`, default: `./${codeName(entry)}.js` },
  ]);
  return {
    name: config.name,
    version: config.version,
    description: config.description,
    keywords: KEYWORDS,
    license: config.license,
    repository: { type: "git", url: `git+${REPOSITORY}.git` },
    homepage: `${REPOSITORY}#readme`,
    bugs: `${REPOSITORY}/issues`,
    type: "module",
    // Vendored modules are loaded whole or not at all.
    sideEffects: ["./vendor/*"],
    engines: { node: `>=${OLDEST.node.join(".")}` },
    // For module resolution "node10" and older: they ignore exports.
    main: `./${codeName(".")}.js`,
    types: `./${typesPath(config.exports["."] ?? "")}`,
    exports: {
      ...Object.fromEntries(exports),
      [`./${SCHEMA_FILE}`]: `./${SCHEMA_FILE}`,
    },
    bin: { sluice: PROGRAM },
    files: [
      ...code.toSorted(),
      PROGRAM,
      "vendor",
      "types",
      SCHEMA_FILE,
      LICENSES,
    ],
    // Never installed: the record of the packages behind vendor/.
    devDependencies: Object.fromEntries(
      vendored.map(({ name, version }) => [name, version]),
    ),
  };
}
