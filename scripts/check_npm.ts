// Uses npm/ as a stranger would: packs it, lets publint and attw read the
// tarball, compiles a strict consumer, and runs consumer and tests on Node and Bun.
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  BUN,
  exists,
  listFiles,
  mustRun,
  ROOT,
  ROOT_PATH,
  RUNTIME_PACKAGES,
  say,
} from "./project.ts";

const PACKAGE = "node_modules/@sluice/agent";

/** How a consumer may be set up: `module` and `moduleResolution`. */
const RESOLUTIONS: readonly (readonly [string, string])[] = [
  ["nodenext", "nodenext"],
  ["esnext", "bundler"],
];

if (!await exists("npm/package.json")) {
  throw new Error("npm/ is not built: run `npm run build` first");
}
const path = await Deno.makeTempDir({ prefix: "consumer_" });
const folder = pathToFileURL(`${path}/`);
try {
  const tarball = await pack();
  await lintTarball(tarball);
  await install(tarball);
  for (const [module, resolution] of RESOLUTIONS) {
    await compile(module, resolution);
  }
  await runEverywhere();
} finally {
  await Deno.remove(path, { recursive: true });
}

async function pack(): Promise<string> {
  const args = ["pack", "--silent", "--pack-destination", path];
  const name = (await npm([...args, `${ROOT_PATH}npm`])).trim().split("\n");
  return `${path}/${name.at(-1)}`;
}

function npm(args: readonly string[]): Promise<string> {
  return Deno.build.os === "windows"
    ? mustRun("cmd", ["/c", "npm", ...args])
    : mustRun("npm", args);
}

async function lintTarball(tarball: string): Promise<void> {
  await mustRun("node", [bin("publint/src/cli.js"), "--strict", tarball]);
  say("publint: all good");
  const attw = bin("@arethetypeswrong/cli/dist/index.js");
  await mustRun("node", [attw, tarball, "--profile", "esm-only", "-q"]);
  say("attw: all good");
}

/** From the tarball, so that what `files` leaves out is missing here too; the dependencies are ours. */
async function install(tarball: string): Promise<void> {
  await Deno.mkdir(new URL(`${PACKAGE}/`, folder), { recursive: true });
  await mustRun("tar", [
    "-xzf",
    tarball,
    "--strip-components=1",
    "-C",
    fileURLToPath(new URL(PACKAGE, folder)),
  ]);
  for (const name of RUNTIME_PACKAGES) {
    const link = new URL(`node_modules/${name}`, folder);
    await Deno.mkdir(new URL("./", link), { recursive: true });
    const target = await Deno.realPath(new URL(`node_modules/${name}`, ROOT));
    await Deno.symlink(target, link, { type: "dir" });
  }
  await write("package.json", JSON.stringify({ type: "module" }));
  for (const file of await listFiles("tests/package")) {
    await Deno.copyFile(
      new URL(file, ROOT),
      new URL(file.replace("tests/package/", ""), folder),
    );
  }
}

async function compile(module: string, resolution: string): Promise<void> {
  const compilerOptions = {
    target: "es2022",
    lib: ["es2022", "dom"],
    module,
    moduleResolution: resolution,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: false,
    types: [],
  };
  const config = { compilerOptions, files: ["consumer.ts"] };
  await write("tsconfig.json", JSON.stringify(config));
  await mustRun("node", [bin("typescript/bin/tsc"), "--project", path]);
  say(`types fit with moduleResolution ${resolution}`);
}

async function runEverywhere(): Promise<void> {
  const cwd = folder;
  const tests = (await listFiles("tests/package"))
    .map((file) => file.replace("tests/package/", "./"))
    .filter((file) => file.endsWith("_test.mjs"));
  for (const program of ["node", BUN]) {
    const name = program === BUN ? "bun" : program;
    await mustRun(program, ["consumer.js"], { cwd });
    say(`${name} runs the consumer`);
    const flags = program === BUN ? ["test"] : ["--test"];
    await mustRun(program, [...flags, ...tests], { cwd });
    say(`${name} passes tests/package`);
  }
}

function bin(script: string): string {
  return `${ROOT_PATH}node_modules/${script}`;
}

async function write(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, folder), text);
}
