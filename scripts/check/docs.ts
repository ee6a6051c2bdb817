// Holds the public docs to their form: an example in each entry and on each function and class, a whole
// first sentence, at most four parameters. That there are docs is said by `deno doc --lint`, that examples fit by `deno check --doc`.
import {
  conclude,
  DENO,
  FLEET,
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
    readonly methods?: readonly Callable[];
  };
}

/** What `deno doc --json` tells of a module. */
interface ModuleDocs {
  readonly module_doc?: DocComment;
  readonly symbols?: readonly {
    readonly name: string;
    readonly declarations: readonly Declaration[];
  }[];
}

const MAX_PARAMETERS = 4;
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
let count = 0;
const problems = await Promise.all(
  entries.map(async ([entry, path]) => {
    // One by one: names shared by two entries show up in full only once.
    const json = await mustRun(DENO, ["doc", "--json", path]);
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
conclude(problems.flat(), `Docs hold: ${count} exported names`);

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
  // Error classes are thrown to the user, who makes none.
  const needsExample = !label.endsWith("Error") &&
    declarations.some(({ kind }) => kind === "function" || kind === "class");
  return [
    ...cut,
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
