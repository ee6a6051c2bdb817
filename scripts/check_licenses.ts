// Every installed package has a licence of the list, and so has what the npm
// package brings of them.
import { conclude, exists, readJson, ROOT } from "./project.ts";

const ALLOWED: readonly string[] = [
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Python-2.0",
  "Unlicense",
  "Zlib",
];

/** Packages whose manifest says it in another form, and what it means. */
const READ_BY_HAND: Readonly<Record<string, string>> = {
  "@modelcontextprotocol/server-everything": "MIT",
};

interface Manifest {
  readonly name?: string;
  readonly version?: string;
  readonly license?: string | { readonly type?: string };
}

const manifests = await installed();
const problems = manifests.flatMap(({ name = "", version, license }) => {
  const text = typeof license === "string" ? license : license?.type;
  const known = READ_BY_HAND[name] ?? text ?? "none";
  return isAllowed(known) ? [] : [`${name}@${version} has licence ${known}`];
});
conclude(problems, `Licences allowed: ${manifests.length} packages`);

/** `(MIT OR CC0-1.0)` needs one of them, `MIT AND ISC` both. */
function isAllowed(expression: string): boolean {
  const plain = expression.replaceAll(/[()]/g, "");
  return plain.split(" OR ").some((choice) =>
    choice.split(" AND ").every((one) => ALLOWED.includes(one.trim()))
  );
}

async function installed(): Promise<readonly Manifest[]> {
  const store = "node_modules/.deno";
  if (!await exists(store)) throw new Error("Run `deno install` first");
  const found = new Map<string, Manifest>();
  for await (
    const { name, isDirectory } of Deno.readDir(new URL(`${store}/`, ROOT))
  ) {
    if (!isDirectory) continue;
    for (const path of await packagesIn(`${store}/${name}/node_modules`)) {
      const manifest = await readJson<Manifest>(`${path}/package.json`);
      found.set(`${manifest.name}@${manifest.version}`, manifest);
    }
  }
  return [...found.values()];
}

/** Real folders only: links lead to packages that have a folder of their own. */
async function packagesIn(folder: string): Promise<readonly string[]> {
  if (!await exists(folder)) return [];
  const paths: string[] = [];
  for await (const entry of Deno.readDir(new URL(`${folder}/`, ROOT))) {
    const path = `${folder}/${entry.name}`;
    if (!entry.isDirectory) continue;
    if (entry.name.startsWith("@")) paths.push(...await packagesIn(path));
    else if (await exists(`${path}/package.json`)) paths.push(path);
  }
  return paths;
}
