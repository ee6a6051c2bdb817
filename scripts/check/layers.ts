// Holds the source to the table of rooms.ts: who may import whom, no
// npm package in the static closure of an entry, runtimes named in one room only.
import ts from "typescript";
import {
  FLEET_NPM_FILES,
  JOINERS,
  NPM_FILES,
  PRIVATE_FILES,
  ROOMS,
  type Rule,
  RUNTIME_ROOM,
  RUNTIME_WORDS,
  STAGES,
} from "./rooms.ts";
import { conclude, listFiles, readConfig, ROOT } from "../project.ts";

/** How a module comes in: with its importer, later, or not at all. */
type ImportKind = "static" | "dynamic" | "type";

/** One import of a file of ours. */
interface Import {
  /** Path under `src`, or `mod.ts`. */
  readonly from: string;
  /** As written. */
  readonly text: string;
  /** Path under `src`; undefined for what is not ours. */
  readonly to: string | undefined;
  readonly kind: ImportKind;
}

/** One module. */
interface Source {
  /** Path under `src`, or `mod.ts`. */
  readonly file: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
}

const config = await readConfig();
const entries = Object.values(config.exports).map(innerPath);
const sources = await readSources("src", "mod.ts");
const files = sources.map(({ file }) => file);
const imports = sources.flatMap((source) => source.imports);
const problems = [
  ...imports.flatMap(checkSpecifier),
  ...imports.flatMap(checkTable),
  ...imports.flatMap(checkPrivate),
  ...imports.flatMap(checkNpmPlace),
  ...checkJoins(),
  ...checkStaticClosures(),
  ...checkEntries(),
  ...sources.flatMap(checkWords),
  ...(await readSources("fleet/src")).flatMap(checkFleet),
];
conclude(
  [...new Set(problems)].sort(),
  `Layers hold: ${files.length} files, ${imports.length} imports`,
);

/** Reads all of a folder, and more files. */
async function readSources(
  folder: string,
  ...more: readonly string[]
): Promise<readonly Source[]> {
  const paths = await listFiles(folder, (path) => path.endsWith(".ts"));
  return await Promise.all([...more, ...paths].map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const target = ts.ScriptTarget.Latest;
    const tree = ts.createSourceFile(path, text, target, true);
    return {
      file: innerPath(path),
      tree,
      imports: importsOf(path, tree),
    };
  }));
}

/** `./src/mcp/mod.ts` and `src/mcp/mod.ts` are `mcp/mod.ts`. */
function innerPath(path: string): string {
  return path.replace(/^\.\//, "").replace(/^src\//, "");
}

function importsOf(path: string, tree: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  const note = (specifier: ts.Node | undefined, kind: ImportKind) => {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
    const { text } = specifier;
    const from = innerPath(path);
    found.push({ from, text, to: resolved(path, text), kind });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      const isImport = ts.isImportDeclaration(node);
      const whole = isImport ? node.importClause : node;
      const clause = isImport
        ? node.importClause?.namedBindings
        : node.exportClause;
      const named = clause !== undefined &&
          (ts.isNamedImports(clause) || ts.isNamedExports(clause))
        ? [...clause.elements]
        : undefined;
      const isType = whole?.isTypeOnly ||
        (named?.every(({ isTypeOnly }) => isTypeOnly) &&
          !(isImport && node.importClause?.name));
      note(node.moduleSpecifier, isType ? "type" : "static");
    } else if (ts.isImportTypeNode(node)) {
      note(
        ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined,
        "type",
      );
    } else if (
      ts.isCallExpression(node) &&
      node.expression.kind === ts.SyntaxKind.ImportKeyword
    ) {
      note(node.arguments[0], "dynamic");
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

/** The path under `src` of a module of this package. */
function resolved(path: string, text: string): string | undefined {
  if (!text.startsWith(".")) return undefined;
  const { href } = new URL(text, new URL(path, ROOT));
  if (!href.startsWith(ROOT.href)) return undefined;
  const target = href.slice(ROOT.href.length);
  return target === "mod.ts" || target.startsWith("src/")
    ? innerPath(target)
    : undefined;
}

function roomOf(file: string): string {
  return file.includes("/") ? file.slice(0, file.indexOf("/")) : file;
}

function checkSpecifier({ from, text, to }: Import): string[] {
  if (to !== undefined) {
    const isPlain = /^\.\.?\/.*\.ts$/.test(text);
    return isPlain ? [] : [`${from} imports a file of ours as "${text}"`];
  }
  if (text.startsWith("node:")) {
    const isAllowed = roomOf(from) === RUNTIME_ROOM;
    return isAllowed ? [] : [`${from} imports "${text}" outside of runtime/`];
  }
  const isKnown = npmPackage(text) !== undefined;
  return isKnown ? [] : [`${from} imports the alias "${text}"`];
}

function checkTable({ from, to, kind }: Import): string[] {
  if (to === undefined || from === "mod.ts") return [];
  const room = roomOf(from);
  const rule = ROOMS[room];
  if (rule === undefined) return [`${from} lies in a room without a rule`];
  if (roomOf(to) === room) {
    const isFine = !rule.isErased || kind === "type";
    return isFine ? [] : [`${from} imports code, of ${to}`];
  }
  const isAllowed = allows(rule, to, kind) ||
    allows(rule.files?.[from.slice(room.length + 1)] ?? {}, to, kind);
  return isAllowed ? [] : [`${from} must not import ${to} (${kind})`];
}

function allows(
  { any = [], types = [], dynamic = [] }: Rule,
  to: string,
  kind: ImportKind,
): boolean {
  return any.some((one) => covers(one, to)) ||
    (kind === "type" &&
      [...types, ...dynamic].some((one) => covers(one, to))) ||
    (kind === "dynamic" && dynamic.some((one) => covers(one, to)));
}

function covers(target: string, to: string): boolean {
  return target === to || target === roomOf(to);
}

function checkPrivate({ from, to, kind }: Import): string[] {
  const rule = to === undefined ? undefined : PRIVATE_FILES[to];
  if (rule === undefined || kind === "type") return [];
  if (!rule.by.includes(from)) {
    return [`${from} must not import ${to}: only ${rule.by.join(", ")} may`];
  }
  const isFine = !rule.isLazy || kind === "dynamic";
  return isFine ? [] : [`${from} must import ${to} dynamically`];
}

function checkNpmPlace({ from, text }: Import): string[] {
  const name = npmPackage(text);
  if (name === undefined) return [];
  const isAllowed = NPM_FILES[name]?.includes(from) === true;
  return isAllowed ? [] : [`${from} must not name the npm package "${name}"`];
}

/** The package of a specifier that the import map knows. */
function npmPackage(text: string): string | undefined {
  return Object.keys(config.imports)
    .filter((name) => config.imports[name]?.startsWith("npm:"))
    .find((name) => text === name || text.startsWith(`${name}/`));
}

function checkJoins(): string[] {
  return files.filter((file) => !JOINERS.includes(file)).flatMap((file) => {
    const joined = imports
      .filter(({ from, kind }) => from === file && kind !== "type")
      .flatMap(({ to }) => to !== undefined && STAGES.includes(to) ? [to] : []);
    return joined.length > 1 ? [`${file} joins ${joined.join(" and ")}`] : [];
  });
}

function checkStaticClosures(): string[] {
  return Object.entries(config.exports)
    .flatMap(([entry, path]) => {
      const closure = reach([innerPath(path)], ["static"]);
      return imports
        .filter(({ from, kind }) => closure.has(from) && kind === "static")
        .filter(({ text }) => npmPackage(text) !== undefined)
        .map(({ from, text }) => `Entry "${entry}" loads "${text}" by ${from}`);
    });
}

function reach(
  starts: readonly string[],
  kinds: readonly ImportKind[],
): ReadonlySet<string> {
  const reached = new Set(starts);
  // A set takes in what is added while it is walked.
  for (const file of reached) {
    for (const { from, to, kind } of imports) {
      if (from === file && to !== undefined && kinds.includes(kind)) {
        reached.add(to);
      }
    }
  }
  return reached;
}

function checkEntries(): string[] {
  const strayed = files
    .filter((file) => /(^|\/)mod\.ts$/.test(file) && !entries.includes(file))
    .map((file) => `${file} is called mod.ts and is no entry`);
  const inside = imports
    .filter(({ to }) => to !== undefined && entries.includes(to))
    .map(({ from, to }) =>
      `${from} imports the entry ${to} instead of the file that owns the name`
    );
  return [...strayed, ...inside];
}

/** A file of `@sluice/fleet` names its neighbours, the entries of this package and NATS, and no runtime. */
function checkFleet(source: Source): string[] {
  const file = source.file.replace("fleet/src/", "");
  const strangers = source.imports.flatMap(({ text, kind }) => {
    if (/^\.\/\w+\.ts$/.test(text)) return [];
    const entry = text.replace(config.name, ".");
    if (entry in config.exports) return [];
    const [name, files = []] = Object.entries(FLEET_NPM_FILES)
      .find(([name]) => text === name || text.startsWith(`${name}/`)) ?? [];
    const isFine = name !== undefined && files.includes(file) &&
      kind !== "static";
    return isFine ? [] : [`${source.file} must not import "${text}" (${kind})`];
  });
  return [...strangers, ...checkWords(source)];
}

/** Runtime globals outside of their room, and re-exports of everything. */
function checkWords({ file, tree }: Source): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const word = runtimeWord(node);
    if (word !== undefined && roomOf(file) !== RUNTIME_ROOM) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart());
      found.push(`${file}:${line + 1} says ${word} outside of runtime/`);
    }
    const isWhole = ts.isExportDeclaration(node) &&
      node.exportClause === undefined;
    // Files of types that are public one and all are named in the entry, not their types.
    if (isWhole && !(node.isTypeOnly && entries.includes(file))) {
      found.push(`${file} re-exports everything of another file`);
    }
    node.forEachChild(visit);
  };
  visit(tree);
  return found;
}

/** A global by its name, `globalThis.Deno`, or `"Deno" in globalThis`. */
function runtimeWord(node: ts.Node): string | undefined {
  const { parent } = node;
  if (ts.isIdentifier(node) && RUNTIME_WORDS.includes(node.text)) {
    if (ts.isPropertyAccessExpression(parent) && parent.name === node) {
      return parent.expression.getText() === "globalThis"
        ? node.text
        : undefined;
    }
    const isKey = (ts.isPropertyAssignment(parent) ||
      ts.isPropertySignature(parent) || ts.isMethodSignature(parent) ||
      ts.isMethodDeclaration(parent) || ts.isPropertyDeclaration(parent)) &&
      parent.name === node;
    return isKey ? undefined : node.text;
  }
  const isName = ts.isStringLiteral(node) &&
    (node.text === "Deno" || node.text === "Bun");
  return isName ? node.text : undefined;
}
