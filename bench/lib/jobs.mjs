// deno-lint-ignore-file explicit-module-boundary-types no-console -- plain JavaScript, which prints
// Finds the runtimes, builds the fake CLI, and runs one benchmark process.
// Runs under Node for run.mjs and under Deno for goals.ts.
import process from "node:process";
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";

export const bench = fileURLToPath(new URL("..", import.meta.url));
export const root = fileURLToPath(new URL("../..", import.meta.url));
const env = process.env;

/** Default paths; the environment overrides them. */
const PLACES = {
  BENCH_MODULES: join(root, ".bench/node_modules"),
  FAKE: join(root, ".bench/fakecli"),
  SLUICE_MODULE: join(root, "mod.ts"),
  SLUICE_MODULE_NODE: join(root, "npm/mod.js"),
  SLUICE_COMPAT: join(root, "src/compat/mod.ts"),
  SLUICE_COMPAT_NODE: join(root, "npm/compat.js"),
  SLUICE_OTEL: join(root, "src/otel/mod.ts"),
  SLUICE_OTEL_NODE: join(root, "npm/otel.js"),
  SLUICE_MCP: join(root, "src/mcp/mod.ts"),
  SLUICE_MCP_NODE: join(root, "npm/mcp.js"),
  SLUICE_DENO_CONFIG: join(root, ".bench/deno.json"),
};
const COMMAND = {
  node: [env.NODE ?? "node"],
  bun: [env.BUN ?? join(root, "node_modules/.bin/bun")],
  deno: [env.DENO ?? "deno", "run", "-A", "--no-check"],
};

/** Those of `names` that start here. */
export const haveRuntimes = (names) =>
  names.filter((name) => {
    const [command] = COMMAND[name] ?? [];
    if (command === undefined) throw new Error(`No such runtime: ${name}`);
    const { status } = spawnSync(command, ["--version"]);
    if (status !== 0) {
      console.error(`${name} not found, left out: set ${name.toUpperCase()}`);
    }
    return status === 0;
  });

/** The fake CLI: FAKE, or our own, built when it is missing or older than its source. */
export function fakeCli() {
  const at = env.FAKE ?? PLACES.FAKE;
  const source = join(bench, "fakecli.c");
  if (existsSync(at) && statSync(at).mtimeMs >= statSync(source).mtimeMs) {
    return at;
  }
  mkdirSync(dirname(at), { recursive: true });
  const compiler = env.CC ?? "cc";
  const { status, stderr, error } = spawnSync(
    compiler,
    ["-O2", "-Wall", "-o", at, source],
    { encoding: "utf8" },
  );
  if (status !== 0) {
    throw new Error(
      `Cannot build the fake CLI with "${compiler}": ${stderr || error}`,
    );
  }
  return at;
}

let home;
/** An empty HOME for what is measured, removed at the end. */
function benchHome() {
  if (home !== undefined) return home;
  home = env.BENCH_HOME;
  if (home === undefined) {
    home = mkdtempSync(join(tmpdir(), "bench_home_"));
    process.on("exit", () => rmSync(home, { recursive: true, force: true }));
  }
  mkdirSync(home, { recursive: true });
  return home;
}

function childEnv(fake) {
  const kept = Object.entries(env)
    .filter(([key]) => /^(SLUICE|LIMIT)_|^(PATH|TMPDIR)$/.test(key));
  const places = Object.entries(PLACES)
    .filter(([key]) => env[key] === undefined);
  const cache = env.DENO_DIR ?? join(env.HOME ?? "", ".cache/deno");
  return {
    ...Object.fromEntries([...kept, ...places]),
    BENCH_MODULES: env.BENCH_MODULES ?? PLACES.BENCH_MODULES,
    FAKE: fakeCli(),
    FAKECLI: fake ?? "",
    HOME: benchHome(),
    // The cache must outlive the empty HOME, or each run compiles everything anew.
    ...(existsSync(cache) && { DENO_DIR: cache }),
    DENO_NO_UPDATE_CHECK: "1",
    NO_COLOR: "1",
  };
}

/** Runs one script in one runtime; resolves to its row, or to { error }. */
export function runJob(
  { rt, script, argv, fake, denoFlags = [], timeoutMs = 120_000 },
) {
  const [command, ...flags] = COMMAND[rt];
  if (rt === "deno") flags.push(...denoFlags);
  if (rt === "deno" && argv.includes("--peer=sluice")) {
    // The import map of a project that uses the package.
    flags.push(
      `--config=${env.SLUICE_DENO_CONFIG ?? PLACES.SLUICE_DENO_CONFIG}`,
    );
  }
  const child = spawn(command, [...flags, join(bench, script), ...argv], {
    env: childEnv(fake),
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "", err = "";
  child.stdout.setEncoding("utf8").on("data", (text) => {
    out += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text) => {
    if (err.length < 4000) err += text;
  });
  const late = setTimeout(() => {
    err = `over ${timeoutMs} ms; ${err}`;
    child.kill("SIGKILL");
  }, timeoutMs);
  return new Promise((resolve) => {
    child.on("error", (error) => {
      err += error;
    });
    child.on("close", () => {
      clearTimeout(late);
      try {
        resolve(JSON.parse(out.trim().split("\n").pop()));
      } catch {
        const error = (err || "no output").replace(/\s+/g, " ").slice(0, 400);
        resolve({ error });
      }
    });
  });
}

export function median(values) {
  const sorted = values
    .filter((one) => typeof one === "number" && !Number.isNaN(one))
    .sort((a, b) => a - b);
  return sorted.length > 0 ? sorted[sorted.length >> 1] : NaN;
}
