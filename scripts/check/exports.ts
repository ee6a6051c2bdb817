// Nothing in `src` is exported that no other file of `src` uses; the exports of entries are for users, those for tests alone are for nobody.
import ts from "typescript";
import { conclude, PROGRAMS, readConfig } from "../project.ts";
import { innerPath, readSources, type Source } from "./sources.ts";

/** Exports that no other file of `src` uses, and why they stand. */
const UNUSED_EXPORTS: Readonly<Record<string, string>> = {
  "wire/ids.ts parseRequestId": "the specification asks for it (CP-02)",
};

const { exports: entries } = await readConfig();
const roots = [...Object.values(entries), ...PROGRAMS].map(innerPath);
const sources = await readSources();
const used = new Set(sources.flatMap(usesOf));
const unused = sources
  .filter(({ file }) => !roots.includes(file))
  .flatMap((source) => {
    const live = liveOf(source);
    return [...source.exports.keys()].filter((name) => !live.has(name))
      .map((name) => `${source.file} ${name}`);
  });
const excused = Object.keys(UNUSED_EXPORTS);
conclude(
  [
    ...unused.filter((one) => !excused.includes(one))
      .map((one) => `No other file of src uses ${one}`),
    ...excused.filter((one) => !unused.includes(one))
      .map((one) => `Excused, and used or gone: ${one}`),
  ],
  `Exports that no other file of src uses: ${unused.length}`,
);

/** What a file uses of others, as `file name`. */
function usesOf({ tree, imports }: Source): readonly string[] {
  return imports.flatMap(({ to, names = identifiers(tree) }) =>
    to === undefined ? [] : names.map((name) => `${to} ${name}`)
  );
}

/** What others name, and the types that it mentions: those go where it goes. */
function liveOf({ file, exports }: Source): ReadonlySet<string> {
  const live = new Set(
    [...exports.keys()].filter((name) => used.has(`${file} ${name}`)),
  );
  // A set takes in what is added while it is walked.
  for (const name of live) {
    const statement = exports.get(name);
    if (statement === undefined) continue;
    for (const mentioned of identifiers(statement)) {
      const other = exports.get(mentioned);
      const isType = other !== undefined &&
        (ts.isInterfaceDeclaration(other) || ts.isTypeAliasDeclaration(other));
      if (isType) live.add(mentioned);
    }
  }
  return live;
}

/** A module that comes whole, by `import()` or as a namespace, is used as far as its importer says names. */
function identifiers(tree: ts.Node): readonly string[] {
  const found = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.add(node.text);
    node.forEachChild(visit);
  };
  visit(tree);
  return [...found];
}
