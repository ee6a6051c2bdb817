// Holds the source to the table of rooms.ts, by Deno's own graph of the modules: who may import whom, no cycles, no npm
// package in the static closure of an entry. That runtimes are named in one room only is said by oxlint.
import { ERASED, JOINERS, NPM_FILES, ONLY, ROOMS, STAGES } from "./rooms.ts";
import {
  conclude,
  DENO,
  FLEET,
  mustRun,
  PROGRAMS,
  readConfig,
  ROOT,
  ROOT_PATH,
  run,
} from "../project.ts";

/** One import; of several of the same file the one that asks most. */
interface Import {
  /** Path under `src` or under the root. */
  readonly from: string;
  /** The same, or `npm:` and `node:` specifiers. */
  readonly to: string;
  /** Kind of import: types, lazy, or with its importer. */
  readonly kind: "type" | "lazy" | "any";
}

/** The part of `deno info --json` that is read. */
interface Graph {
  readonly modules: readonly {
    readonly specifier: string;
    readonly dependencies?: readonly {
      readonly code?: { readonly specifier: string };
      readonly type?: { readonly specifier: string };
      readonly isDynamic?: boolean;
    }[];
  }[];
}

const config = await readConfig();
const entries = Object.values(config.exports).map(innerPath);
const imports = await readImports([
  ...Object.values(config.exports),
  ...PROGRAMS,
  `${FLEET}/src/mod.ts`,
]);
const own = imports.filter(({ from }) => !from.startsWith(FLEET));
const files = [...new Set(imports.map(({ from }) => from))];
const problems = [
  ...own.flatMap(checkRoom),
  ...own.flatMap(checkOnly),
  ...imports.flatMap(checkNpm),
  ...own.filter(({ to }) => entries.includes(to))
    .map(({ from, to }) => `${from} imports the entry ${to}`),
  ...files.filter((file) => /(^|\/)mod\.ts$/.test(file))
    .filter((file) => !entries.includes(file) && !file.startsWith(FLEET))
    .map((file) => `${file} is called mod.ts and is no entry`),
  ...imports.filter(({ from }) => from.startsWith(FLEET)).flatMap(checkFleet),
  ...files.flatMap(checkJoins),
  ...entries.flatMap(checkClosure),
  ...checkCycles(),
  ...await runtimeWords(),
];
conclude(
  [...new Set(problems)].sort(),
  `Layers hold: ${files.length} files, ${imports.length} imports`,
);

async function readImports(
  roots: readonly string[],
): Promise<readonly Import[]> {
  const graphs = await Promise.all(
    roots.map(async (root): Promise<Graph> =>
      JSON.parse(await mustRun(DENO, ["info", "--json", root]))
    ),
  );
  const all = new Map<string, Import>();
  for (
    const { specifier, dependencies } of graphs.flatMap((one) => one.modules)
  ) {
    if (!specifier.startsWith(ROOT.href)) continue;
    const from = innerPath(specifier);
    for (const { code, type, isDynamic } of dependencies ?? []) {
      const to = innerPath((code ?? type)?.specifier ?? "");
      const kind = code === undefined ? "type" : isDynamic ? "lazy" : "any";
      if (!to.includes("node_modules")) {
        all.set(`${from} ${to} ${kind}`, { from, to, kind });
      }
    }
  }
  return [...all.values()];
}

/** `mcp/mod.ts` for `./src/mcp/mod.ts`, or for its address. */
function innerPath(path: string): string {
  return path.replace(ROOT.href, "").replace(/^\.\//, "")
    .replace(/^src\//, "");
}

/** Of `room/file.ts` the room; a file directly in `src` is one. */
function roomOf(file: string): string {
  return file.split("/")[0] ?? file;
}

function isOurs(file: string): boolean {
  return !file.includes(":");
}

/** Whether an import is of a target, and of no more than its mark allows. */
function isAllowed(
  target: string,
  file: string,
  kind: Import["kind"],
): boolean {
  const [, mark = "any", name = ""] = /^(?:(type|lazy):)?(.*)$/.exec(target) ??
    [];
  return (name === file || name === roomOf(file)) &&
    (kind === "type" || mark === "any" || mark === kind);
}

function checkRoom({ from, to, kind }: Import): string[] {
  if (!isOurs(to) || from === "mod.ts") return [];
  const room = roomOf(from);
  const targets = ROOMS[room];
  if (targets === undefined) return [`${from} lies in a room without a rule`];
  const isFine = ERASED.includes(room) && kind !== "type"
    ? false
    : roomOf(to) === room ||
      ONLY[to]?.some((one) => isAllowed(one, from, kind)) ||
      targets.some((one) => isAllowed(one, to, kind));
  return isFine ? [] : [`${from} must not import ${to} (${kind})`];
}

function checkOnly({ from, to, kind }: Import): string[] {
  const users = kind === "type" ? undefined : ONLY[to];
  return users === undefined || users.some((one) => isAllowed(one, from, kind))
    ? []
    : [`${from} must not import ${to} (${kind}): only ${users.join(", ")} may`];
}

function checkNpm({ from, to }: Import): string[] {
  if (to.startsWith("node:")) {
    return roomOf(from) === "runtime"
      ? []
      : [`${from} imports "${to}" outside of runtime/`];
  }
  const name = /^npm:\/?((?:@[^/]+\/)?[^/@]+)/.exec(to)?.[1];
  return name === undefined || NPM_FILES[name]?.includes(from)
    ? []
    : [`${from} must not name the npm package "${name}"`];
}

/** A file of `@sluice/fleet` names its neighbours, the entries of this package, and NATS when it is needed. */
function checkFleet({ from, to, kind }: Import): string[] {
  const isFine = to.startsWith(`${FLEET}/src/`) || entries.includes(to) ||
    (to.startsWith("npm:") && kind !== "any");
  return isFine ? [] : [`${from} must not import ${to} (${kind})`];
}

function checkJoins(file: string): string[] {
  const joined = staticImports(file).flatMap(({ to }) =>
    STAGES.includes(to) ? [to] : []
  );
  const isFine = joined.length < 2 || JOINERS.includes(file);
  return isFine ? [] : [`${file} joins ${joined.join(" and ")}`];
}

function checkClosure(entry: string): string[] {
  const reached = new Set([entry]);
  // A set takes in what is added while it is walked.
  for (const file of reached) {
    for (const { to } of staticImports(file)) reached.add(to);
  }
  return [...reached].filter((one) => one.startsWith("npm:"))
    .map((name) => `The entry ${entry} loads ${name} at once`);
}

function staticImports(file: string): readonly Import[] {
  return imports.filter(({ from, kind }) => from === file && kind === "any");
}

/** Cycles through imports of any kind but `import()`, which is how a cycle is cut. */
function checkCycles(): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push(
        `Cycle: ${[...path.slice(path.indexOf(file)), file].join(" -> ")}`,
      );
    }
    if (done.has(file)) return;
    done.add(file);
    for (const { from, to, kind } of imports) {
      if (from === file && kind !== "lazy") walk(to, [...path, file]);
    }
  };
  for (const file of files) walk(file, []);
  return found;
}

async function runtimeWords(): Promise<readonly string[]> {
  const { code, stdout, stderr } = await run(DENO, [
    ...["run", "-A", "oxlint", "--config=scripts/check/oxlint.json"],
    ...["--format=unix", "mod.ts", "src", "fleet/src"],
  ]);
  return code === 0 ? [] : [stdout.replaceAll(ROOT_PATH, "") + stderr];
}
