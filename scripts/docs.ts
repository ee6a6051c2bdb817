/** What `deno doc --json` tells about the entries. */
import { DENO, type DenoConfig, mustRun, ROOT } from "./project.ts";

/** A doc comment. */
export interface DocComment {
  readonly doc?: string;
  readonly tags?: readonly {
    readonly kind: string;
    readonly doc?: string;
  }[];
}

/** Something with parameters. */
export interface Callable {
  readonly params?: readonly unknown[];
}

/** One declaration of an exported name; an overloaded function has several. */
export interface Declaration {
  readonly kind: string;
  readonly jsDoc?: DocComment;
  readonly def?: Callable & {
    readonly constructors?: readonly Callable[];
    readonly methods?: readonly {
      readonly name: string;
      readonly functionDef?: Callable;
      readonly params?: readonly unknown[];
    }[];
  };
}

/** An exported name. */
export interface DocSymbol {
  readonly name: string;
  readonly declarations: readonly Declaration[];
}

/** An entry with its module text and its names. */
export interface EntryDocs {
  /** As in deno.json: `.`, `./mcp`. */
  readonly entry: string;
  readonly moduleDoc: DocComment | undefined;
  readonly symbols: readonly DocSymbol[];
}

/** Reads the docs of every entry; one by one, since names shared by two show up in full only once. */
export function readDocs(
  { exports }: DenoConfig,
): Promise<readonly EntryDocs[]> {
  return Promise.all(
    Object.entries(exports).map(([entry, path]) => readEntry(entry, path)),
  );
}

async function readEntry(entry: string, path: string): Promise<EntryDocs> {
  const { nodes } = JSON.parse(
    await mustRun(DENO, ["doc", "--json", path]),
  ) as {
    readonly nodes: Readonly<
      Record<string, {
        readonly module_doc?: DocComment;
        readonly symbols?: readonly DocSymbol[];
      }>
    >;
  };
  const node = nodes[new URL(path, ROOT).href];
  if (node === undefined) throw new Error(`No docs for entry: "${entry}"`);
  return { entry, moduleDoc: node.module_doc, symbols: node.symbols ?? [] };
}

/** Tells whether a comment says anything. */
export function hasText(comment: DocComment | undefined): boolean {
  return comment?.doc !== undefined && comment.doc.trim() !== "";
}
