/** Builds npm-fleet/: the package of fleets, one file of code and its declarations; what it builds on stays outside. */
import { build } from "esbuild";
import {
  type DenoConfig,
  FLEET,
  readConfig,
  REPOSITORY,
  ROOT,
  ROOT_PATH,
  typesPath,
  writeJson,
} from "../project.ts";
import { unpackTypes } from "./declarations.ts";

const FOLDER = "npm-fleet";

/** Writes the package; gives its name. */
export async function buildFleet(agent: DenoConfig): Promise<string> {
  const config = await readConfig(FLEET);
  await unpackTypes(`${FLEET}/`, FOLDER);
  await build({
    entryPoints: [`${FLEET}/src/mod.ts`],
    absWorkingDir: ROOT_PATH,
    outdir: FOLDER,
    bundle: true,
    packages: "external",
    format: "esm",
    platform: "neutral",
    target: "es2022",
    legalComments: "none",
    minifyWhitespace: true,
    lineLimit: 120,
    logLevel: "error",
    plugins: [{
      name: "outside",
      // Here they are members of the workspace, whose own files would go in.
      setup: ({ onResolve }) => {
        onResolve({ filter: /^@/ }, ({ path }) => ({ path, external: true }));
      },
    }],
  });
  await writeJson(`${FOLDER}/package.json`, manifest(config, agent));
  await linkAgent(agent.name);
  return `${config.name}@${config.version}`;
}

function manifest(config: DenoConfig, agent: DenoConfig): unknown {
  const { name, version, license, description, exports, imports } = config;
  const types = `./${typesPath(exports["."] ?? "")}`;
  return {
    name,
    version,
    description,
    keywords: ["agent", "claude-code", "jetstream", "nats", "queue"],
    license,
    repository: {
      type: "git",
      url: `git+${REPOSITORY}.git`,
      directory: FLEET,
    },
    homepage: `${REPOSITORY}/blob/HEAD/docs/fleet.md`,
    bugs: `${REPOSITORY}/issues`,
    type: "module",
    sideEffects: false,
    engines: { node: ">=20.19" },
    main: "./mod.js",
    types,
    exports: { ".": { types, default: "./mod.js" } },
    files: ["mod.js", "types"],
    dependencies: Object.fromEntries(
      Object.entries(imports).map((
        [name, range],
      ) => [name, range.replace(`npm:${name}@`, "")]),
    ),
    // One copy: errors, stores and options of the program's own agents have to be known here.
    peerDependencies: { [agent.name]: `^${agent.version}` },
  };
}

/** So that it can be tried where it was built; npm packs no `node_modules`. */
async function linkAgent(name: string): Promise<void> {
  const link = new URL(`${FOLDER}/node_modules/${name}`, ROOT);
  await Deno.mkdir(new URL("./", link), { recursive: true });
  await Deno.symlink(`${ROOT_PATH}npm`, link, { type: "junction" });
}
