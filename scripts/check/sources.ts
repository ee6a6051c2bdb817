/** What the modules of this package import and export, as TypeScript's parser reads them. */
import ts from "typescript";
import { listFiles, ROOT } from "../project.ts";

/** How a module comes in: with its importer, later, or not at all. */
export type ImportKind = "static" | "dynamic" | "type";

/** One import of a file of ours. */
export interface Import {
  /** Path under `src`, or `mod.ts`. */
  readonly from: string;
  /** As written. */
  readonly text: string;
  /** Path under `src`; undefined for what is not ours. */
  readonly to: string | undefined;
  readonly kind: ImportKind;
  /** What is named of it; undefined where that is decided by the code behind it. */
  readonly names: readonly string[] | undefined;
}

/** One module. */
export interface Source {
  /** Path under `src`, or `mod.ts`. */
  readonly file: string;
  readonly tree: ts.SourceFile;
  readonly imports: readonly Import[];
  /** The names it exports, with what exports them. */
  readonly exports: ReadonlyMap<string, ts.Statement>;
}

/** Reads `mod.ts` and all of `src`. */
export async function readSources(): Promise<readonly Source[]> {
  const paths = await listFiles("src", (path) => path.endsWith(".ts"));
  return await Promise.all(["mod.ts", ...paths].map(async (path) => {
    const text = await Deno.readTextFile(new URL(path, ROOT));
    const target = ts.ScriptTarget.Latest;
    const tree = ts.createSourceFile(path, text, target, true);
    return {
      file: innerPath(path),
      tree,
      imports: importsOf(path, tree),
      exports: new Map(
        tree.statements.flatMap((statement) =>
          namesOf(statement).map((name) => [name, statement])
        ),
      ),
    };
  }));
}

/** `./src/mcp/mod.ts` and `src/mcp/mod.ts` are `mcp/mod.ts`. */
export function innerPath(path: string): string {
  return path.replace(/^\.\//, "").replace(/^src\//, "");
}

function importsOf(path: string, tree: ts.SourceFile): readonly Import[] {
  const found: Import[] = [];
  const note = (
    specifier: ts.Node | undefined,
    kind: ImportKind,
    names?: readonly string[],
  ) => {
    if (specifier === undefined || !ts.isStringLiteral(specifier)) return;
    const { text } = specifier;
    const from = innerPath(path);
    found.push({ from, text, to: resolved(path, text), kind, names });
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
      note(
        node.moduleSpecifier,
        isType ? "type" : "static",
        named?.map(({ name, propertyName = name }) => propertyName.text),
      );
    } else if (ts.isImportTypeNode(node)) {
      note(
        ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined,
        "type",
        node.qualifier && [node.qualifier.getText().split(".")[0] ?? ""],
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

/** The names that a statement exports. */
function namesOf(statement: ts.Statement): readonly string[] {
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    return clause !== undefined && ts.isNamedExports(clause)
      ? clause.elements.map(({ name }) => name.text)
      : [];
  }
  const isExported = ts.canHaveModifiers(statement) &&
    ts.getModifiers(statement)?.some(({ kind }) =>
      kind === ts.SyntaxKind.ExportKeyword
    );
  if (!isExported) return [];
  if (ts.isVariableStatement(statement)) {
    return statement.declarationList.declarations.map(({ name }) =>
      name.getText()
    );
  }
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.getText()];
}
