// Writes jsr.json from deno.json; with --check only compares the two.
import {
  type DenoConfig,
  jsonText,
  keep,
  PEER_PACKAGES,
  readConfig,
  RUNTIME_PACKAGES,
  say,
} from "./project.ts";

const expected = jsonText(mirror(await readConfig()));
await keep(new Map([["jsr.json", expected]]), {
  fault: "differs from deno.json: run `deno task sync`",
  summary: "jsr.json mirrors deno.json",
});
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
