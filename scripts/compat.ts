// Runs the programs of tests/compat/programs on the official package and on ours, with the real CLI, and prints where
// they differ.
//
//   deno task compat                 all programs
//   deno task compat resume abort    these
//   deno task compat --write         and keeps what they printed on the official package, and its names, for the tests
import ts from "typescript";
import {
  moduleOf,
  PROGRAMS,
  take,
  verdictOn,
} from "../tests/compat/_side_by_side.ts";
import { OFFICIAL, officialSdk } from "./install/official.ts";
import {
  commandLine,
  exists,
  readJson,
  ROOT,
  say,
  writeJson,
} from "./project.ts";
import { CASES, spawnedOutcomes } from "../tests/compat/_spawned.ts";
import { casesOf, type DeniedModels } from "../tests/compat/_denied_models.ts";

const EXPECTED = "tests/compat/expected.json";
const NAMES = "tests/compat/official_exports.json";
const DENIED = "tests/compat/denied_models.json";
const SPAWNED = "tests/compat/spawned.json";
const AT_ONCE = 2;

const { names, flags } = commandLine();
const isWriting = flags.has("write");
const cli = Deno.env.get("SLUICE_TEST_CLI") ??
  new URL(".cli/node_modules/.bin/claude", ROOT).pathname;
const official = await officialSdk();

const waiting = [...names.length === 0 ? PROGRAMS : names];
const expected: Record<string, readonly string[]> = {};
let differing = 0;
await Promise.all(Array.from({ length: AT_ONCE }, work));
if (isWriting) {
  const before = await exists(EXPECTED)
    ? JSON.parse(await Deno.readTextFile(new URL(EXPECTED, ROOT)))
    : {};
  const all = Object.entries({ ...before, ...expected });
  all.sort(([a], [b]) => a < b ? -1 : 1);
  await writeJson(EXPECTED, Object.fromEntries(all));
  await writeJson(NAMES, {
    package: OFFICIAL,
    entries: await officialNames(new URL("./", official)),
  });
  await writeDenied();
  await writeSpawned();
}
say(
  differing === 0
    ? "All programs do the same on both packages"
    : `${differing} programs differ`,
);
if (differing > 0) Deno.exitCode = 1;

/** Writes the official answer to each case of the table. */
async function writeDenied(): Promise<void> {
  const { matchDeniedModels } = await import(official);
  const table = await readJson<DeniedModels>(DENIED);
  const answers = await Promise.all(
    casesOf(table).map(([models, denied]) => matchDeniedModels(models, denied)),
  );
  await writeJson(DENIED, {
    ...table,
    answers: answers.map(({ denied, warnings }) => ({
      denied: denied.map(Number).join(""),
      ...warnings.length > 0 && { warnings },
    })),
  });
}

/** Writes how the official SDK ends runs of spawned processes, where it ends them. */
async function writeSpawned(): Promise<void> {
  const ends = Object.keys(CASES).filter((name) => !CASES[name]?.own);
  await writeJson(SPAWNED, await spawnedOutcomes(await import(official), ends));
}

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    const theirs = await take(name, { sdk: official, cli, isRecorded: true });
    const own = await take(name, { cli, isRecorded: true });
    expected[name] = theirs.printed;
    const { differs } = await moduleOf(name);
    const { isSame, text } = verdictOn(name, { theirs, own }, differs);
    if (!isSame) differing++;
    say(text);
  }
}

/** Names of one entry. */
interface EntryNames {
  /** Names that are declared and exist at run time. */
  readonly values: readonly string[];
  /** Names that exist for the compiler only. */
  readonly types: readonly string[];
  /** Names that exist at run time without a declaration. */
  readonly undeclared: readonly string[];
}

interface Manifest {
  readonly exports: Readonly<
    Record<string, { readonly types: string; readonly default?: string }>
  >;
}

/** Names of each entry of the package that is installed in a folder. */
async function officialNames(
  folder: URL,
): Promise<Readonly<Record<string, EntryNames>>> {
  const manifest: Manifest = JSON.parse(
    await Deno.readTextFile(new URL("package.json", folder)),
  );
  const entries = Object.entries(manifest.exports);
  const files = entries.map(([, { types }]) => new URL(types, folder).pathname);
  const program = ts.createProgram(files, {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ESNext,
    typeRoots: [new URL("node_modules/@types", ROOT).pathname],
    types: [],
  });
  const checker = program.getTypeChecker();
  const all: Record<string, EntryNames> = {};
  for (const [index, [entry, { default: code }]] of entries.entries()) {
    const file = program.getSourceFile(files[index] ?? "");
    const module = file && checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`No declarations: ${entry}`);
    const declared = checker.getExportsOfModule(module).map(({ name }) => name);
    const there = code === undefined
      ? []
      : Object.keys(await import(new URL(code, folder).href));
    all[entry] = {
      values: declared.filter((name) => there.includes(name)).sort(),
      types: declared.filter((name) => !there.includes(name)).sort(),
      undeclared: there.filter((name) => !declared.includes(name)).sort(),
    };
  }
  return all;
}
