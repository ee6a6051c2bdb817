/** Where the entries lie in npm/. */

/** The name of an entry's code without its extension: `./mcp` is `mcp`, the root entry `mod`. */
export function codeName(entry: string): string {
  return entry === "." ? "mod" : entry.slice(2).replaceAll(/[-/]/g, "_");
}

/** The declarations of an entry, from its source in deno.json. */
export function typesPath(source: string): string {
  return source.replace("./", "types/").replace(/\.ts$/, ".d.ts");
}
