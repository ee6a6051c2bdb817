// What an editor shows: the texts over names, and what may be written at a place.
import ts from "typescript";

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  types: [],
};

/**
 * Compares a file with what its own comments say of it.
 *
 * `// looks: text` holds for the name in the next line that the text names, `// offers: names` for the place where it stands.
 */
export function checkHovers(file: string): readonly string[] {
  const text = ts.sys.readFile(file) ?? "";
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => [file],
    getScriptVersion: () => "1",
    getScriptSnapshot: (name) => {
      const content = ts.sys.readFile(name);
      return content === undefined
        ? undefined
        : ts.ScriptSnapshot.fromString(content);
    },
    getCurrentDirectory: () => ts.sys.getCurrentDirectory(),
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  const problems: string[] = [];
  for (const { 1: wanted = "", index } of text.matchAll(/\/\/ looks: (.*)/g)) {
    const name = /(\w+):/.exec(wanted)?.[1] ?? "";
    const line = text.indexOf("\n", index);
    const info = service.getQuickInfoAtPosition(file, text.indexOf(name, line));
    const shown = ts.displayPartsToString(info?.displayParts ?? [])
      .replaceAll(/\s+/g, " ");
    if (shown !== wanted) problems.push(`looks: ${shown}, not: ${wanted}`);
  }
  for (const { 1: wanted = "", index } of text.matchAll(/\/\/ offers: (.*)/g)) {
    const offered = service.getCompletionsAtPosition(file, index, {})?.entries;
    const names = new Set(offered?.map(({ name }) => name));
    for (const name of wanted.split(" ")) {
      if (!names.has(name)) problems.push(`offers no ${name}`);
    }
  }
  service.dispose();
  return problems;
}
