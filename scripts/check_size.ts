// Prints files over the guide of 175 lines, what the root entry costs to import
// on each runtime, and its bundled size. Never fails: sizes are a matter of judgement.
import { build, stop } from "esbuild";
import {
  BUN,
  DENO,
  exists,
  listFiles,
  ROOT,
  ROOT_PATH,
  run,
  say,
} from "./project.ts";

const GUIDE_LINES = 175;
const IMPORT_ROUNDS = 7;

await sayLines();
await sayBundle();
await sayImportTimes();

async function sayLines(): Promise<void> {
  const files = await listFiles("src", (path) => path.endsWith(".ts"));
  const counted = await Promise.all(files.map(async (file) => {
    const text = await Deno.readTextFile(new URL(file, ROOT));
    return { file, lines: text.trimEnd().split("\n").length };
  }));
  const long = counted.filter(({ lines }) => lines > GUIDE_LINES)
    .sort((a, b) => b.lines - a.lines);
  const sizes = counted.map(({ lines }) => lines);
  say(
    `${files.length} files in src, median ${median(sizes)} lines, ` +
      `${long.length} over ${GUIDE_LINES}`,
  );
  for (const { file, lines } of long) say(`  ${lines} ${file}`);
}

async function sayBundle(): Promise<void> {
  try {
    const { metafile: { outputs } } = await build({
      entryPoints: ["mod.ts"],
      absWorkingDir: ROOT_PATH,
      bundle: true,
      minify: true,
      write: false,
      metafile: true,
      outdir: "npm",
      splitting: true,
      format: "esm",
      platform: "neutral",
      packages: "external",
      logLevel: "error",
    });
    const atOnce = new Set(["npm/mod.js"]);
    for (const path of atOnce) {
      for (const { path: next, kind } of outputs[path]?.imports ?? []) {
        if (kind === "import-statement" && next in outputs) atOnce.add(next);
      }
    }
    const sum = (paths: Iterable<string>) =>
      [...paths].reduce(
        (bytes, path) => bytes + (outputs[path]?.bytes ?? 0),
        0,
      );
    say(
      `Root entry bundled and minified: ${kilobytes(sum(atOnce))}` +
        `, ${
          kilobytes(sum(Object.keys(outputs)))
        } with what it loads on demand`,
    );
  } finally {
    stop();
  }
}

async function sayImportTimes(): Promise<void> {
  const source = new URL("mod.ts", ROOT).href;
  const built = new URL("npm/mod.js", ROOT).href;
  const lanes = [
    { name: "Deno", command: DENO, args: ["eval", "--no-lock"], entry: source },
    { name: "Bun", command: BUN, args: ["-e"], entry: source },
    {
      name: "Node",
      command: "node",
      args: ["--input-type=module", "-e"],
      entry: built,
    },
  ];
  for (const { name, command, args, entry } of lanes) {
    if (entry === built && !await exists("npm/mod.js")) {
      say(`Import on ${name}: npm/ is not built`);
      continue;
    }
    const code = `const start = performance.now(); await import("${entry}");` +
      "console.log(performance.now() - start)";
    const times: number[] = [];
    for (let round = 0; round < IMPORT_ROUNDS; round++) {
      const { code: exit, stdout } = await run(command, [...args, code]);
      if (exit === 0) times.push(Number(stdout));
    }
    say(`Import of the root entry on ${name}: ${median(times).toFixed(1)} ms`);
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
