// Writes jsr.json, name and entries of package.json, and version and license of @sluice/fleet, from deno.json; with --check only compares them.
import {
  type DenoConfig,
  FLEET,
  jsonText,
  keep,
  readConfig,
  ROOT,
  RUNTIME_PACKAGES,
  say,
} from "./project.ts";

const config = await readConfig();
const files = new Map([
  ["jsr.json", jsonText(mirror(config))],
  ["package.json", jsonText(await named(config))],
  [`${FLEET}/deno.json`, jsonText(await versioned(config))],
]);
await keep(files, {
  fault: "differs from deno.json: run `npm run generate`",
  summary: "jsr.json, package.json and fleet/deno.json mirror deno.json",
});
say("Wrote jsr.json, package.json and fleet/deno.json");

/** By name and entries the tests import this package on Bun, as users do. */
async function named({ name, exports }: DenoConfig): Promise<unknown> {
  const text = await Deno.readTextFile(new URL("package.json", ROOT));
  return { ...JSON.parse(text), name, exports };
}

/** Both packages are released together. */
async function versioned({ version, license }: DenoConfig): Promise<unknown> {
  const config = await readConfig(FLEET);
  return { ...config, version, license };
}

/** `deno publish -c jsr.json` reads nothing else, so the npm imports are repeated. */
function mirror(config: DenoConfig): unknown {
  const imports = Object.entries(config.imports)
    .filter(([name]) => RUNTIME_PACKAGES.includes(name));
  return {
    name: config.name,
    version: config.version,
    license: config.license,
    exports: config.exports,
    imports: Object.fromEntries(imports),
    publish: {
      include: config.publish.include.map((path) =>
        path === "deno.json" ? "jsr.json" : path
      ),
    },
  };
}
