// Runs the MCP conformance suite against the hub, on each runtime, and prints its counts.
//
//   deno task conformance:mcp
//   deno task conformance:mcp -- --runtimes=node,bun --suite=all --verbose
import { build, stop } from "esbuild";
import {
  BUN,
  DENO,
  exists,
  mustRun,
  ROOT_PATH,
  run,
  say,
} from "../scripts/project.ts";

/** The suite is installed beside the package, whose lock file it must not change. */
const PACKAGE = "@modelcontextprotocol/conformance@0.1.16";
const RUNNER =
  ".conformance/node_modules/@modelcontextprotocol/conformance/dist/index.js";

/** Node 20 runs no TypeScript; from there packages are found as from the root. */
const NODE_CLIENT = ".lane/conformance/client.mjs";

/** Place of a scenario in the runner's output. */
const SCENARIO = /^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm;

const settings = new Map(
  Deno.args.filter((one) => one !== "--").map((one) => {
    const [key = "", value = ""] = one.replace(/^--/, "").split("=", 2);
    return [key, value];
  }),
);
const suite = settings.get("suite") ?? "core";

/** Command that starts the client on each runtime; the runner splits it at blanks. */
const CLIENTS: Readonly<Record<string, string>> = {
  deno: `${DENO} run -A --quiet conformance/client.ts`,
  bun: `${BUN} conformance/client.ts`,
  node: `node ${NODE_CLIENT}`,
};

const names = settings.get("runtimes")?.split(",") ?? Object.keys(CLIENTS);
await install();
let failures = 0;
for (const name of names) failures += await runSuite(name);
Deno.exit(failures === 0 ? 0 : 1);

async function install(): Promise<void> {
  if (!await exists(RUNNER)) {
    say(`Installing ${PACKAGE} into .conformance/`);
    const flags = ["--no-save", "--no-audit", "--no-fund"];
    await mustRun("npm", [
      "install",
      "--prefix",
      `${ROOT_PATH}.conformance`,
      ...flags,
      PACKAGE,
    ]);
  }
  await build({
    entryPoints: ["conformance/client.ts"],
    absWorkingDir: ROOT_PATH,
    outfile: NODE_CLIENT,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
    logLevel: "error",
  });
  await stop();
}

/** Gives the number of scenarios that failed. */
async function runSuite(name: string): Promise<number> {
  const client = CLIENTS[name];
  if (client === undefined) throw new Error(`No such runtime: ${name}`);
  // Its runner needs a newer Node than this package; Deno runs it everywhere.
  const { code, stdout, stderr } = await run(DENO, [
    "run",
    "-A",
    "--node-modules-dir=manual",
    RUNNER,
    "client",
    "--command",
    client,
    "--suite",
    suite,
  ]);
  const scenarios = [...stdout.matchAll(SCENARIO)];
  const isGood = code === 0 && scenarios.length > 0;
  if (!isGood || settings.has("verbose")) say(stdout + stderr);
  const failed = scenarios.filter(([, , , count]) => count !== "0");
  const checks = scenarios.reduce((sum, [, , count]) => sum + Number(count), 0);
  say(
    `${name}: ${
      scenarios.length - failed.length
    } of ${scenarios.length} scenarios, ${checks} checks passed`,
  );
  for (const [line] of failed) say(`  ${line}`);
  return isGood ? failed.length : Math.max(1, failed.length);
}
