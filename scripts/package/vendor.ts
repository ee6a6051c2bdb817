/** Takes what runs of the npm packages into npm/vendor/, so that installing this package installs nothing else. */
import { build, type Metafile, type Plugin } from "esbuild";
import { basename } from "node:path/posix";
import { exists, readJson, ROOT, ROOT_PATH } from "../project.ts";

/** A package of which something was taken. */
interface Vendored {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  /** The text that has to go with every copy. */
  readonly terms: string;
}

/** Of these only what is named: whole, zod would bring every language it speaks, and picocolors no names, being CommonJS. */
const PARTS: Readonly<Record<string, string>> = {
  "picocolors": "createColors",
  "zod/v4/core": "$ZodObject, globalRegistry, toJSONSchema",
};

const PARTS_NAMESPACE = "parts";
const FOLDER = "vendor";

/** Path of a module of an npm package, relative to the package's own code. */
export function vendorPath(specifier: string): string {
  const name = specifier.replace("@", "").replace(/\.js$/, "");
  return `./${FOLDER}/${name.replaceAll("/", "-")}.js`;
}

/** Writes a file for each module, and the chunks that several of them share; gives what they were made of. */
export async function vendor(
  specifiers: readonly string[],
): Promise<readonly Vendored[]> {
  const { metafile } = await build({
    entryPoints: Object.fromEntries(
      specifiers.map((one) => [basename(vendorPath(one), ".js"), one]),
    ),
    absWorkingDir: ROOT_PATH,
    outdir: `npm/${FOLDER}`,
    chunkNames: "shared-[hash]",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "es2022",
    legalComments: "none",
    metafile: true,
    logLevel: "error",
    plugins: [takeParts()],
  });
  return await Promise.all(packagesIn(metafile).map(read));
}

function takeParts(): Plugin {
  return {
    name: "take-parts",
    setup: ({ onResolve, onLoad }) => {
      onResolve(
        { filter: /./ },
        ({ kind, path }) =>
          kind === "entry-point" && path in PARTS
            ? { path, namespace: PARTS_NAMESPACE }
            : undefined,
      );
      onLoad({ filter: /./, namespace: PARTS_NAMESPACE }, ({ path }) => ({
        contents: `export { ${PARTS[path]} } from "${path}";`,
        resolveDir: ROOT_PATH,
      }));
    },
  };
}

/** Folders of the packages whose code is in the output. */
function packagesIn({ outputs }: Metafile): readonly string[] {
  const folders = new Set<string>();
  for (const { inputs } of Object.values(outputs)) {
    for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
      if (path.startsWith(`${PARTS_NAMESPACE}:`)) continue;
      const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0];
      if (folder === undefined) throw new Error(`In no package: "${path}"`);
      if (bytesInOutput > 0) folders.add(folder);
    }
  }
  return [...folders].sort((a, b) => nameOf(a) < nameOf(b) ? -1 : 1);
}

function nameOf(folder: string): string {
  return folder.replace(/^.*node_modules\//, "");
}

async function read(folder: string): Promise<Vendored> {
  const manifest = await readJson<Omit<Vendored, "terms">>(
    `${folder}/package.json`,
  );
  const { name, version, license } = manifest;
  for (const file of ["LICENSE", "license", "LICENSE.md", "LICENSE.txt"]) {
    if (!await exists(`${folder}/${file}`)) continue;
    const terms = await Deno.readTextFile(new URL(`${folder}/${file}`, ROOT));
    return { name, version, license, terms: terms.trim() };
  }
  throw new Error(`"${name}" has no file with its licence`);
}
