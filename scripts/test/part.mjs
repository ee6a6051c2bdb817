// Runs many test files in one program of Deno or Node: each program reads the whole source anew, which takes longer
// than the tests of most files do. The runner names the files in SLUICE_TEST_FILES, a JSON list of paths.
import process from "node:process";
import { pathToFileURL } from "node:url";

/** After its last test a program has nothing to wait for. */
const REST_MS = 20_000;

const declare = globalThis.Deno?.test ?? (await import("node:test")).test;
// Node starts a test when it is declared: none is before all files are there.
const later = globalThis[Symbol.for("sluice.later_tests")] = [];
for (const file of JSON.parse(process.env.SLUICE_TEST_FILES)) {
  try {
    await import(pathToFileURL(file).href);
  } catch (error) {
    later.push(() =>
      declare(file, () => {
        throw error;
      })
    );
  }
}
for (const declareOne of later) declareOne();
if (globalThis.Deno === undefined) {
  (await import("node:test")).after(() => {
    setTimeout(() => {
      const kept = process.getActiveResourcesInfo().join(", ");
      process.stderr.write(`A test left something open: ${kept}\n`);
      process.exit(1);
    }, REST_MS).unref();
  });
}
