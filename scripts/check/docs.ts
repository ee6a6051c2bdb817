// Checks the form of the public docs: an example in each entry and on each function and class, a whole first sentence, at
// most four parameters. `deno doc --lint` checks that docs exist, `deno check --doc` the examples. Pages in
// Markdown: see pages.ts; with --write their allowance is lowered to the remaining count.
import { checkPages } from "./pages.ts";
import {
  commandLine,
  conclude,
  DENO,
  FLEET,
  listFiles,
  mustRun,
  readConfig,
  ROOT,
} from "../project.ts";

/** Something with parameters. */
interface Callable {
  readonly name?: string;
  readonly params?: readonly unknown[];
  readonly functionDef?: { readonly params?: readonly unknown[] };
}

/** A doc comment. */
interface DocComment {
  readonly doc?: string;
  readonly tags?: readonly { readonly kind: string; readonly doc?: string }[];
}

/** One declaration of an exported name; an overloaded function has several. */
interface Declaration {
  readonly kind: string;
  readonly jsDoc?: DocComment;
  readonly def?: Callable & {
    readonly constructors?: readonly Callable[];
    readonly methods?: readonly (Callable & Documented)[];
    readonly properties?: readonly Documented[];
  };
}

/** A member with its doc comment. */
interface Documented {
  readonly name?: string;
  readonly jsDoc?: DocComment;
}

/** Output of `deno doc --json` for a module. */
interface ModuleDocs {
  readonly module_doc?: DocComment;
  readonly symbols?: readonly {
    readonly name: string;
    readonly declarations: readonly Declaration[];
  }[];
}

const MAX_PARAMETERS = 4;
/** Documents that users do not have, and references that a hover text cannot follow. */
const UNREADABLE =
  /protocol reference|performance reference|MCP reference|\b(?:the|Source:) specification|\bsee above/i;
/** Their signature is that of another package. */
const FOREIGN: ReadonlySet<string> = new Set(['"./compat" tool']);

/** The packages, each with its folder. */
const PACKAGES = ["", `${FLEET}/`];

const entries = (await Promise.all(PACKAGES.map(async (folder) => {
  const { exports, name } = await readConfig(folder || ".");
  return Object.entries(exports).map(([entry, path]) =>
    [folder === "" ? entry : name, folder + path.replace("./", "")] as const
  );
}))).flat();
/** Sources whose strings are public: flags, options, codes of errors. */
const NAMING =
  /^src\/(?:command|options|errors|runtime)\/|(?:errors|failure)\.ts$/;

let count = 0;
/** Words of the public API, of `sluice` and of the protocol. */
const words = new Set<string>();
const problems = await Promise.all(
  entries.map(async ([entry, path]) => {
    // One by one: names shared by two entries show up in full only once.
    const json = await mustRun(DENO, ["doc", "--json", path]);
    addWords(json);
    const docs: ModuleDocs | undefined =
      JSON.parse(json).nodes[new URL(path, ROOT).href];
    const symbols = docs?.symbols ?? [];
    count += symbols.length;
    return [
      ...checkModule(`"${entry}"`, docs?.module_doc),
      ...symbols.flatMap(({ name, declarations }) =>
        checkSymbol(`"${entry}" ${name}`, declarations)
      ),
    ];
  }),
);
const named = ["protocol.schema.json", "deno.json"];
const sources = [...await listFiles("src"), ...await listFiles(`${FLEET}/src`)];
named.push(...sources.filter((path) => NAMING.test(path)));
for (const path of sources) {
  // Variables of the environment.
  const text = await Deno.readTextFile(new URL(path, ROOT));
  addWords(text.match(/\b[A-Z][A-Z\d_]+\b/g)?.join(" ") ?? "");
}
for (const path of named) {
  addWords(await Deno.readTextFile(new URL(path, ROOT)));
}
const pages = await checkPages(words, commandLine().flags.has("write"));
conclude(
  [...problems.flat(), ...pages.problems],
  `Docs hold: ${count} exported names, ${pages.left} long lines, cells and unknown names of pages are left`,
);

function addWords(text: string): void {
  for (const [word] of text.matchAll(/[\w$]+/g)) words.add(word);
}

function checkModule(label: string, docs: DocComment | undefined): string[] {
  if (!docs?.tags?.some(({ kind }) => kind === "module")) {
    return [`${label} has no @module text`];
  }
  const hasExample = /^```ts$/m.test(docs.doc ?? "");
  return hasExample ? [] : [`${label} shows no example in its @module text`];
}

function checkSymbol(
  label: string,
  declarations: readonly Declaration[],
): string[] {
  const cut = declarations.flatMap(({ jsDoc }) => jsDoc?.doc ?? [])
    .map((text) => (text.split("\n\n")[0] ?? "").split("```")[0]?.trim() ?? "")
    .filter((text) => text !== "" && !/[.:]$/.test(text))
    .map((text) => `${label}: first sentence has no period: ${text}`);
  const texts = declarations.flatMap(({ jsDoc, def }) => [
    jsDoc,
    ...[...def?.properties ?? [], ...def?.methods ?? []]
      .map((one) => one.jsDoc),
  ]);
  const unknown = texts.flatMap((one) => one?.doc?.match(UNREADABLE)?.[0] ?? [])
    .map((found) => `${label} refers users to the unknown "${found}"`);
  const isBare = declarations.every(({ jsDoc }) => !jsDoc?.doc?.trim());
  // Error classes are thrown to the user, who makes none.
  const needsExample = !label.endsWith("Error") &&
    declarations.some(({ kind }) => kind === "function" || kind === "class");
  return [
    ...isBare ? [`${label} has no docstring`] : [],
    ...cut,
    ...unknown,
    ...declarations.flatMap((one) => checkParameters(label, one)),
    ...(needsExample ? checkExamples(label, declarations) : []),
  ];
}

function checkExamples(
  label: string,
  declarations: readonly Declaration[],
): string[] {
  const examples = declarations
    .flatMap(({ jsDoc }) => jsDoc?.tags ?? [])
    .filter(({ kind }) => kind === "example")
    .map(({ doc }) => doc ?? "");
  if (examples.length === 0) return [`${label} has no @example`];
  return examples.flatMap((example) => {
    const [title = ""] = example.split("\n");
    if (title.trim() === "" || title.startsWith("```")) {
      return [`${label} has an example without a title`];
    }
    const isComplete = example.includes('from "@sluice/') &&
      (/\bassert\b/.test(example) || /```ts (ignore|no-eval)/.test(example));
    if (isComplete) return [];
    return [`${label}: example "${title}" imports nothing or asserts nothing`];
  });
}

function checkParameters(label: string, { def }: Declaration): string[] {
  const callables = [
    { params: def?.params ?? [], name: "" },
    ...(def?.constructors ?? []).map(({ params = [] }) => ({
      params,
      name: " constructor",
    })),
    ...(def?.methods ?? []).map(({ name, params, functionDef }) => ({
      params: params ?? functionDef?.params ?? [],
      name: `.${name}`,
    })),
  ];
  if (FOREIGN.has(label)) return [];
  return callables.filter(({ params }) => params.length > MAX_PARAMETERS)
    .map(({ name }) => `${label}${name} has over ${MAX_PARAMETERS} parameters`);
}
