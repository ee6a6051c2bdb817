// What each entry of the official package exports: by its declarations, and beside them.
import ts from "typescript";
import { ROOT } from "./project.ts";

/** Names of one entry. */
export interface EntryNames {
  /** What is declared, and there at run time. */
  readonly values: readonly string[];
  /** What is there for the compiler alone. */
  readonly types: readonly string[];
  /** What is there at run time without a declaration. */
  readonly undeclared: readonly string[];
}

interface Manifest {
  readonly exports: Readonly<
    Record<string, { readonly types: string; readonly default?: string }>
  >;
}

/** Names of each entry of the package that is installed in a folder. */
export async function officialNames(
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
