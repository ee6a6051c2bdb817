// Writes jsr.json from deno.json; with --check only compares the two.
import {
  conclude,
  type DenoConfig,
  PEER_PACKAGES,
  readConfig,
  readJson,
  RUNTIME_PACKAGES,
  say,
  writeJson,
} from "./project.ts";

const expected = mirror(await readConfig());
if (Deno.args.includes("--check")) {
  const actual = await readJson("jsr.json");
  const isEqual = JSON.stringify(actual) === JSON.stringify(expected);
  conclude(
    isEqual ? [] : ["jsr.json differs from deno.json: run `deno task sync`"],
    "jsr.json mirrors deno.json",
  );
}
await writeJson("jsr.json", expected);
say("Wrote jsr.json");

/** `deno publish -c jsr.json` reads nothing else, so the npm imports are repeated. */
function mirror(config: DenoConfig): unknown {
  const imports = Object.entries(config.imports)
    .filter(([name]) => [...RUNTIME_PACKAGES, ...PEER_PACKAGES].includes(name));
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
