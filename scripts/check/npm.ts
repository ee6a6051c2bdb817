// Uses npm/, npm-fleet/ and npm-compat/ as a stranger would: packs them, lets publint and attw read the
// tarball, installs it without a network into an empty folder, compiles a strict
// consumer, and runs tests on Node and Bun, and the programs of users on all three.
import { descendantsOf, killAll } from "./descendants.ts";
import { DENO, exists, mustRun, npm, say } from "../project.ts";
import {
  copy,
  folder,
  inside,
  link,
  lintTarball,
  pack,
  path,
  runEverywhere,
  write,
} from "./npm_consumer.ts";
import { compileConsumers, compileIn, compilePrograms } from "./npm_types.ts";

/** Packages that installing this one may bring, itself included. */
const MOST_PACKAGES = 2;

/** Packages that users may have beside it, in copies of their own. */
const BESIDE: readonly string[] = [
  "@modelcontextprotocol/sdk",
  "@sinclair/typebox",
  "zod",
];

/** Further packages that users' programs import. */
const FOR_PROGRAMS: readonly string[] = [
  "@modelcontextprotocol/server-everything",
  "@types/node",
  "arktype",
  "vitest",
];

if (!await exists("npm/package.json")) {
  throw new Error("npm/ is not built: run `npm run build` first");
}
try {
  const tarball = await pack("npm");
  await install(tarball);
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
} catch (error) {
  // Its neighbours still run.
  killAll(await descendantsOf(Deno.pid));
  throw error;
} finally {
  await Deno.remove(path, { recursive: true })
    .catch((error) => say(`${path} is left: ${error}`));
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
  await compileIn(home, "types.ts");
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
  await compileIn(home, "with_api.ts");
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
  await compileIn(home, "types.ts");
}

async function runPrograms(): Promise<void> {
  const script = "scripts/check/programs.ts";
  const done = await mustRun(DENO, ["run", "-A", script, `--packed=${path}`]);
  say(done.trimEnd());
}
