/** Imports of the types that a generated source names. */

/**
 * The source behind the imports that it needs.
 *
 * @param owners Types, or `Type as Alias`, each with its file
 */
export function withImports(
  source: string,
  owners: Iterable<readonly [string, string]>,
): string {
  const code = source.replace(/\/\*\*[^]*?\*\//g, "");
  const words = new Set(code.match(/\b[A-Z]\w+/g));
  const files = new Map<string, string[]>();
  for (const [type, file] of owners) {
    const name = type.replace(/^.* as /, "");
    const isOwn = new RegExp(`\\b(?:interface|class|type) ${name}\\b`)
      .test(code);
    if (!words.has(name) || isOwn) continue;
    files.set(file, [...files.get(file) ?? [], type]);
  }
  const lines = [...files].sort().map(([file, names]) =>
    `import type { ${[...new Set(names)].sort().join(", ")} } from "${file}";`
  );
  return `${lines.join("\n")}\n${
    source.startsWith("import") ? "" : "\n"
  }${source}`;
}
