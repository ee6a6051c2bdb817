// deno-lint-ignore-file explicit-module-boundary-types -- JavaScript, because Node 20 runs it
// Node 20 runs no TypeScript, so its tests run on a copy of the tree in which
// each .ts file became a .js file next to the same neighbours.
import {
  cp,
  mkdir,
  readdir,
  readFile,
  stat,
  writeFile,
} from "node:fs/promises";
import { dirname, posix, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { installPackages } from "../install/packages.mjs";

installPackages();
const { stop, transform } = await import("esbuild");

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** Files that tests may read; files other than TypeScript are copied unchanged. */
export const PARTS = [
  "mod.ts",
  "src",
  "fleet",
  "stand_in",
  "tests",
  "examples",
  "docs",
  "deno.json",
  "jsr.json",
  "README.md",
  "CHANGELOG.md",
];

/**
 * Writes the tree as JavaScript below `target`, a folder of the repository:
 * from there `node_modules` is found, and the package finds itself by its name.
 */
export async function writeNodeTree(target) {
  const files = (await Promise.all(PARTS.map(listFiles))).flat();
  const known = new Set(files);
  await Promise.all(files.map((file) => writeOne(file, target, known)));
  await stop();
  await writeFile(resolve(target, "package.json"), await manifest());
  await linkFleet(target);
}

/** The member of the workspace by its name; the package that it builds on finds itself. */
async function linkFleet(target) {
  const folder = resolve(target, "node_modules/@sluice/fleet");
  await mkdir(folder, { recursive: true });
  const content = { type: "module", exports: "./mod.js" };
  await writeFile(resolve(folder, "package.json"), JSON.stringify(content));
  const entry = 'export * from "../../../fleet/src/mod.js";\n';
  await writeFile(resolve(folder, "mod.js"), entry);
}

/** Path of a source file of the repository in the tree. */
export function compiledPath(file) {
  return isSource(file) ? file.replace(/\.ts$/, ".js") : file;
}

async function writeOne(file, target, known) {
  const from = resolve(ROOT, file);
  const to = resolve(target, compiledPath(file));
  await mkdir(dirname(to), { recursive: true });
  if (!isSource(file)) {
    await cp(from, to);
    return;
  }
  const code = await toJavaScript(await readFile(from, "utf8"), from);
  await writeFile(to, renameNeighbours(code, file, known));
}

/** A file that does not parse fails only the files that import it. */
async function toJavaScript(source, sourcefile) {
  try {
    const { code } = await transform(source, {
      loader: "ts",
      format: "esm",
      target: "es2022",
      sourcemap: "inline",
      sourcefile,
      logLevel: "silent",
    });
    return code;
  } catch (error) {
    return `throw new SyntaxError(${JSON.stringify(error.message)});\n`;
  }
}

/** `"./x.ts"` becomes `"./x.js"` if there is such a file: imports, `import()` and `new URL()` alike. */
function renameNeighbours(code, file, known) {
  const folder = posix.dirname(file);
  return code.replace(/"(\.{1,2}\/[^"\n]*)\.ts"/g, (whole, path) => {
    const neighbour = posix.join(folder, `${path}.ts`);
    return known.has(neighbour) ? `"${path}.js"` : whole;
  });
}

async function manifest() {
  const { name, exports } = JSON.parse(
    await readFile(resolve(ROOT, "deno.json"), "utf8"),
  );
  const entries = Object.entries(exports)
    .map(([entry, path]) => [entry, compiledPath(path)]);
  const content = {
    name,
    type: "module",
    exports: Object.fromEntries(entries),
  };
  return JSON.stringify(content, null, 2);
}

/** The files at a path under the root, none if there is nothing. */
async function listFiles(path) {
  const found = await stat(resolve(ROOT, path)).catch(() => undefined);
  if (found === undefined) return [];
  if (found.isFile()) return [path];
  const names = await readdir(resolve(ROOT, path));
  const lists = names
    .filter((name) => name !== "node_modules")
    .map((name) => listFiles(`${path}/${name}`));
  return (await Promise.all(lists)).flat();
}

function isSource(file) {
  return file.endsWith(".ts") && !file.endsWith(".d.ts");
}
