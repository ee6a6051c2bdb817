// Compares the lists of entries both ways: deno.json, jsr.json, the files, and
// the manifest of npm/ if it has been built.
import { codeName } from "./entries.ts";
import {
  conclude,
  exists,
  listFiles,
  readConfig,
  readJson,
} from "./project.ts";

const { exports } = await readConfig();
const mirrored = await readJson<{ exports: Record<string, string> }>(
  "jsr.json",
);
const entryFiles = await listFiles(
  "src",
  (path) => /^src\/(\w+\/mod|unstable_\w+|command\/main)\.ts$/.test(path),
);
const problems: string[] = [];

for (const [entry, path] of Object.entries(exports)) {
  if (!await exists(path)) problems.push(`"${entry}" has no file: ${path}`);
  if (mirrored.exports[entry] !== path) {
    problems.push(`"${entry}" differs in jsr.json`);
  }
}
for (const file of ["mod.ts", ...entryFiles]) {
  if (!Object.values(exports).includes(`./${file}`)) {
    problems.push(`${file} is no entry of deno.json`);
  }
}
for (const entry of Object.keys(mirrored.exports)) {
  if (!(entry in exports)) problems.push(`"${entry}" stands in jsr.json only`);
}
const codeNames = Object.keys(exports).map(codeName);
if (new Set(codeNames).size < codeNames.length) {
  problems.push(`Two entries share a file in npm/: ${codeNames.join(", ")}`);
}
conclude(problems, `Exports agree: ${Object.keys(exports).join(" ")}`);
