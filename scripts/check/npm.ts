// Uses npm/, npm-fleet/ and npm-compat/ as a stranger would: packs them, lets publint and attw read the
// tarball, installs it without a network into an empty folder, compiles a strict
// consumer, and runs tests on Node and Bun, and the programs of users on all three.
import { basename } from "node:path/posix";
import { pathToFileURL } from "node:url";
import { installCli } from "../install/cli.ts";
import {
  BUN,
  DENO,
  exists,
  listFiles,
  mustRun,
  npm,
  ROOT,
  ROOT_PATH,
  say,
} from "../project.ts";

/** What strangers write: the first is run as well. */
const PROGRAMS: readonly string[] = ["consumer.ts", "written.ts"];

/** Packages that installing this one may bring, itself included. */
const MOST_PACKAGES = 2;

/** What users may have beside it, in copies of their own. */
const BESIDE: readonly string[] = [
  "@modelcontextprotocol/sdk",
  "@sinclair/typebox",
  "zod",
];

/** What the programs of users import as well. */
const FOR_PROGRAMS: readonly string[] = [
  "@modelcontextprotocol/server-everything",
  "@types/node",
  "arktype",
  "vitest",
];

/** A server that tests start from where it is installed. */
const EVERYTHING =
  "node_modules/@modelcontextprotocol/server-everything/dist/index.js";

/** The compilers that read the types: the oldest that is promised, the usual, the newest, and the native one. */
const COMPILERS: readonly string[] = ["5.2.2", "5.9.3", "6.0.3", "7.0.2"];

/** How a consumer may be set up: `module`, `moduleResolution`, and who compiles it. */
const SETUPS: readonly (readonly [string, string, readonly string[]])[] = [
  ["nodenext", "nodenext", COMPILERS],
  ["esnext", "bundler", COMPILERS.slice(-1)],
];

if (!await exists("npm/package.json")) {
  throw new Error("npm/ is not built: run `npm run build` first");
}
const path = await Deno.makeTempDir({ prefix: "consumer_" });
const folder = pathToFileURL(`${path}/`);
const inside = { cwd: folder };
try {
  const tarball = await pack("npm");
  await install(tarball);
  for (const file of PROGRAMS) await copy(`tests/package/${file}`);
  await Promise.all([lintTarball(tarball), compileConsumers()]);
  await runEverywhere("tests/package/");
  await link(BESIDE);
  await link(FOR_PROGRAMS);
  await Promise.all([
    runEverywhere("tests/package/beside/"),
    compilePrograms().then(runPrograms),
    standIn(tarball),
    fleet(tarball),
  ]);
} finally {
  await Deno.remove(path, { recursive: true });
}

async function pack(source: string): Promise<string> {
  const args = ["pack", "--json", "--pack-destination", path];
  const [packed] = JSON.parse(await npm([...args, ROOT_PATH + source], inside));
  const { filename, size, unpackedSize, entryCount } = packed;
  say(
    `tarball of ${source}/: ${kilobytes(size)}, ${
      kilobytes(unpackedSize)
    } unpacked, ${entryCount} files`,
  );
  return `${path}/${filename}`;
}

async function lintTarball(tarball: string): Promise<void> {
  await mustRun("node", [bin("publint/src/cli.js"), "--strict", tarball]);
  say("publint: all good");
  const attw = bin("@arethetypeswrong/cli/dist/index.js");
  await mustRun("node", [attw, tarball, "--profile", "esm-only", "-q"]);
  say("attw: all good");
}

/** Without a network: whatever it would still have to fetch is missing. */
async function install(tarball: string): Promise<void> {
  await write("package.json", JSON.stringify({ type: "module" }));
  await npm(
    ["install", "--offline", "--no-audit", "--no-fund", tarball],
    inside,
  );
  const lock = "node_modules/.package-lock.json";
  const { packages } = JSON.parse(
    await Deno.readTextFile(new URL(lock, folder)),
  );
  const names = Object.keys(packages);
  if (names.length > MOST_PACKAGES) {
    throw new Error(`Installs ${names.length} packages: ${names.join(", ")}`);
  }
  await npm(["ls", "--all"], inside);
  say(`npm installs ${names.length} package, and finds nothing missing`);
}

/** A wrapper of the official SDK gets the package that stands in for it, by `overrides` and without a network. */
async function standIn(tarball: string): Promise<void> {
  const official = "@anthropic-ai/claude-agent-sdk";
  const own = await pack("npm-compat");
  await lintTarball(own);
  const source = "tests/package/stand_in/";
  const home = "stand_in/";
  await Deno.mkdir(new URL(`${home}wrapper/`, folder), { recursive: true });
  await copy(`${source}wrapper.mjs`, `${home}wrapper/`);
  await copy(`${source}types.ts`, home);
  await write(
    `${home}wrapper/package.json`,
    JSON.stringify({
      name: "wrapper",
      version: "1.0.0",
      exports: "./wrapper.mjs",
      dependencies: { [official]: "^0.3.0" },
    }),
  );
  await write(
    `${home}package.json`,
    JSON.stringify({
      type: "module",
      dependencies: {
        [official]: `file:${own}`,
        "@sluice/agent": `file:${tarball}`,
        wrapper: "file:wrapper",
      },
      overrides: { [official]: `$${official}` },
    }),
  );
  const cwd = new URL(home, folder);
  // Among the optional ones is the CLI, 250 MB of it.
  const flags = ["--omit=optional", "--install-links"];
  await npm(
    ["install", "--offline", "--no-audit", "--no-fund", ...flags],
    { cwd },
  );
  await runEverywhere(source, home);
  await compile("nodenext", "nodenext", COMPILERS, {
    home,
    files: ["types.ts"],
  });
  // In a program that has the API's package, messages are of its types.
  await copy(`${source}with_api.ts`, home);
  const api = `${home}node_modules/@anthropic-ai/sdk/`;
  await Deno.mkdir(new URL(`${api}resources/beta/messages/`, folder), {
    recursive: true,
  });
  await write(`${api}package.json`, JSON.stringify({ type: "module" }));
  await write(
    `${api}resources/beta/messages/messages.d.mts`,
    "export interface BetaMessage { installed: true }\n",
  );
  await compile("nodenext", "nodenext", COMPILERS, {
    home,
    files: ["with_api.ts"],
  });
}

/** Fleets beside the packed agent; NATS is taken from here, since nothing is fetched. */
async function fleet(agent: string): Promise<void> {
  const tarball = await pack("npm-fleet");
  await lintTarball(tarball);
  const source = "tests/package/fleet/";
  const home = "fleet/";
  for (const [name, packed] of [["agent", agent], ["fleet", tarball]]) {
    const cwd = new URL(`${home}node_modules/@sluice/${name}/`, folder);
    await Deno.mkdir(cwd, { recursive: true });
    await mustRun("tar", ["-xzf", `${packed}`, "--strip-components=1"], {
      cwd,
    });
  }
  await link(["@nats-io/transport-node"], home);
  await write(`${home}package.json`, JSON.stringify({ type: "module" }));
  await copy(`${source}types.ts`, home);
  await runEverywhere(source, home);
  await compile("nodenext", "nodenext", COMPILERS, {
    home,
    files: ["types.ts"],
  });
}

async function link(names: readonly string[], home = ""): Promise<void> {
  for (const name of names) {
    const link = new URL(`${home}node_modules/${name}`, folder);
    await Deno.mkdir(new URL("./", link), { recursive: true });
    const target = await Deno.realPath(new URL(`node_modules/${name}`, ROOT));
    await Deno.symlink(target, link, { type: "dir" });
  }
}

async function compileConsumers(): Promise<void> {
  for (const setup of SETUPS) await compile(...setup);
  // It reads no "exports", so that it finds the root entry alone.
  const files = ["root.ts"];
  await copy("tests/package/root.ts");
  await compile("esnext", "node10", ["5.2.2", "5.9.3"], { files });
}

async function compile(
  module: string,
  resolution: string,
  compilers: readonly string[],
  { home = "", files = PROGRAMS }: {
    readonly home?: string;
    readonly files?: readonly string[];
  } = {},
): Promise<void> {
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
  const config = { compilerOptions, files };
  const file = `${home}tsconfig.${resolution}.json`;
  await write(file, JSON.stringify(config));
  for (const version of compilers) {
    const tsc = bin(
      `.deno/typescript@${version}/node_modules/typescript/bin/tsc`,
    );
    await mustRun("node", [tsc, "--project", `${path}/${file}`]);
  }
  const versions = compilers.join(", ");
  say(`types fit with moduleResolution ${resolution}: TypeScript ${versions}`);
}

/** The programs as Node runs them: compiled as strictly as it goes, but for the libraries of others. */
async function compilePrograms(): Promise<void> {
  const programs = await listFiles(
    "tests/package/programs",
    (file) => file.endsWith(".ts") && !file.endsWith("_deno.test.ts"),
  );
  await Deno.mkdir(new URL("programs/", folder));
  for (const file of programs) await copy(file, "programs/");
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023"],
    module: "nodenext",
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    rewriteRelativeImportExtensions: true,
    types: ["node"],
  };
  const config = { compilerOptions, include: ["."] };
  await write("programs/tsconfig.json", JSON.stringify(config));
  const tsc = bin("typescript/bin/tsc");
  await mustRun("node", [tsc, "--project", `${path}/programs`]);
  say(`types fit ${programs.length} programs of users`);
}

async function runPrograms(): Promise<void> {
  const script = "scripts/check/programs.ts";
  const done = await mustRun(DENO, ["run", "-A", script, `--packed=${path}`]);
  say(done.trimEnd());
}

/** Runs what lies in a folder, not deeper, from inside the project of the consumer. */
async function runEverywhere(source: string, home = ""): Promise<void> {
  const names: string[] = [];
  for await (const { name, isFile } of Deno.readDir(new URL(source, ROOT))) {
    if (!isFile || !name.endsWith("_test.mjs")) continue;
    await copy(source + name, home);
    names.push(name);
  }
  const tests = names.sort().map((name) => `./${name}`);
  const cli = await installCli();
  const env = {
    EVERYTHING: ROOT_PATH + EVERYTHING,
    ..."path" in cli && { SLUICE_TEST_CLI: cli.path },
  };
  for (const program of ["node", BUN]) {
    // Five seconds, Bun's own limit, are too short for a real CLI on a busy machine.
    const flags = program === BUN ? ["test", "--timeout=180000"] : ["--test"];
    await mustRun(program, [...flags, ...tests], {
      cwd: new URL(home, folder),
      env,
    });
    const name = program === BUN ? "bun" : program;
    say(`${name} passes ${source}: ${names.join(" ")}`);
  }
}

function bin(script: string): string {
  return `${ROOT_PATH}node_modules/${script}`;
}

function kilobytes(bytes: number): string {
  return `${Math.round(bytes / 1000)} kB`;
}

async function copy(file: string, under = ""): Promise<void> {
  const to = new URL(under + basename(file), folder);
  await Deno.copyFile(new URL(file, ROOT), to);
}

async function write(name: string, text: string): Promise<void> {
  await Deno.writeTextFile(new URL(name, folder), text);
}
