// Holds the public docs to their form: text everywhere, an example in each entry
// and on each function and class, at most four parameters, no dead import in a README.
import {
  type Declaration,
  type DocSymbol,
  type EntryDocs,
  readDocs,
} from "./docs.ts";
import { conclude, exists, listFiles, readConfig, ROOT } from "./project.ts";

const MAX_PARAMETERS = 4;

/** What single docs have to say. */
const PHRASES: readonly (readonly [string, RegExp, string])[] = [
  ["query", /\bends?\b/, "how its streams end"],
];

const config = await readConfig();
const docs = await readDocs(config);
const problems = [
  ...docs.flatMap(checkEntry),
  ...docs.flatMap(({ entry, symbols }) =>
    symbols.flatMap((symbol) => checkSymbol(entry, symbol))
  ),
  ...(await checkPages()),
];
const count = docs.reduce((sum, { symbols }) => sum + symbols.length, 0);
conclude(
  problems,
  `Docs hold: ${docs.length} entries, ${count} exported names`,
);

function checkEntry({ entry, moduleDoc }: EntryDocs): string[] {
  const found: string[] = [];
  if (!moduleDoc?.tags?.some(({ kind }) => kind === "module")) {
    found.push(`Entry "${entry}" has no @module text`);
  } else if (!/^```ts$/m.test(moduleDoc.doc ?? "")) {
    found.push(`Entry "${entry}" shows no example in its @module text`);
  }
  return found;
}

function checkSymbol(entry: string, symbol: DocSymbol): string[] {
  const { name, declarations } = symbol;
  const label = `"${entry}" ${name}`;
  const texts = declarations.map(({ jsDoc }) => jsDoc?.doc ?? "").filter(
    Boolean,
  );
  if (texts.length === 0) return [`${label} has no docs`];
  const found = texts
    .map((text) => (text.split("\n\n")[0] ?? "").trim())
    .filter((text) => !/[.:]$/.test(text.split("```")[0]?.trim() ?? ""))
    .map((text) => `${label}: first sentence has no period: ${text}`);
  for (const [wanted, pattern, what] of PHRASES) {
    if (name === wanted && !texts.some((text) => pattern.test(text))) {
      found.push(`${label} does not say ${what}`);
    }
  }
  found.push(...declarations.flatMap((one) => checkParameters(label, one)));
  if (needsExample(symbol)) found.push(...checkExamples(label, declarations));
  return found;
}

/** Error classes are thrown to the user, who makes none. */
function needsExample({ name, declarations }: DocSymbol): boolean {
  return !name.endsWith("Error") &&
    declarations.some(({ kind }) => kind === "function" || kind === "class");
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
    const isComplete = example.includes(`from "${config.name}`) &&
      (/\bassert\b/.test(example) || /```ts (ignore|no-eval)/.test(example));
    if (isComplete) return [];
    return [`${label}: example "${title}" imports nothing or asserts nothing`];
  });
}

function checkParameters(label: string, { def }: Declaration): string[] {
  const callables = [
    { name: "", params: def?.params },
    ...(def?.constructors ?? []).map(({ params }) => ({
      name: " constructor",
      params,
    })),
    ...(def?.methods ?? []).map(({ name, params, functionDef }) => ({
      name: `.${name}`,
      params: params ?? functionDef?.params,
    })),
  ];
  return callables
    .filter(({ params }) => (params?.length ?? 0) > MAX_PARAMETERS)
    .map(({ name }) => `${label}${name} has over ${MAX_PARAMETERS} parameters`);
}

/** Pages must not import what does not exist. */
async function checkPages(): Promise<string[]> {
  const pages = ["README.md"];
  if (await exists("docs")) {
    pages.push(...await listFiles("docs", (path) => path.endsWith(".md")));
  }
  const checked = pages.map(async (page) => {
    const text = await Deno.readTextFile(new URL(page, ROOT));
    return [
      ...text.matchAll(/import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"([^"]+)"/g),
    ]
      .flatMap(([, names = "", from = ""]) => checkImport(page, names, from));
  });
  return (await Promise.all(checked)).flat();
}

function checkImport(page: string, names: string, from: string): string[] {
  const specifier = from.replace(/^(npm|jsr):/, "");
  if (specifier !== config.name && !specifier.startsWith(`${config.name}/`)) {
    return [];
  }
  const entry = specifier.replace(config.name, ".");
  const found = docs.find((one) => one.entry === entry);
  if (found === undefined) return [`${page} imports from "${from}"`];
  return names.split(",")
    .map((name) =>
      name.trim().replace(/^type\s+/, "").split(/\s+as\s+/)[0] ?? ""
    )
    .filter((name) => name !== "")
    .filter((name) => !found.symbols.some((symbol) => symbol.name === name))
    .map((name) =>
      `${page} imports "${name}", which "${from}" does not export`
    );
}
