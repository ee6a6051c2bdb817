/** Mutants as `tests/mutants/<room>.json` lists them. */

/** One change of the source that a test must notice. */
export interface Mutant {
  /** Source file, from the root. */
  readonly file: string;
  /** Text that occurs once in the file. */
  readonly find: string;
  /** Text in its place. */
  readonly replace: string;
  /** The fault in the changed code, in a short sentence. */
  readonly what: string;
  /** Test files that notice it, from the root. */
  readonly tests: readonly string[];
}

/** A mutant and the name of its list. */
export interface Row extends Mutant {
  readonly room: string;
}

const FOLDER = "tests/mutants";
const TEXTS = ["file", "find", "replace", "what"] as const;

/** The lists under a root, by room. */
export async function readRows(root: string): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const names = await Array.fromAsync(Deno.readDir(`${root}/${FOLDER}`));
  for (const { name } of names.toSorted((a, b) => a.name < b.name ? -1 : 1)) {
    if (!name.endsWith(".json")) continue;
    const path = `${FOLDER}/${name}`;
    const list: unknown = JSON.parse(
      await Deno.readTextFile(`${root}/${path}`),
    );
    if (!Array.isArray(list)) throw new Error(`${path}: is not a list`);
    const room = name.slice(0, -".json".length);
    list.forEach((one, at) => {
      const problem = problemOf(one);
      if (problem !== undefined) throw new Error(`${path}[${at}]: ${problem}`);
      rows.push({ ...one, room });
    });
  }
  return rows;
}

function problemOf(row: unknown): string | undefined {
  const given = Object.keys(Object(row)).toSorted();
  const expected = [...TEXTS, "tests"].toSorted();
  if (given.join() !== expected.join()) {
    return `expected the keys ${expected.join(", ")}`;
  }
  const { find, replace, tests, ...texts } = row as Mutant;
  if ([find, texts.file, texts.what].some((one) => !isText(one))) {
    return "file, find and what must be texts that are not empty";
  }
  if (typeof replace !== "string" || replace === find) {
    return "replace must be another text";
  }
  if (!Array.isArray(tests) || tests.length === 0 || !tests.every(isText)) {
    return "tests must be a list of test files";
  }
  return undefined;
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

/** The changed text of the mutant's file; throws when the mutant no longer fits the tree. */
export async function changedText(
  root: string,
  { file, find, replace, tests }: Mutant,
): Promise<string> {
  for (const path of [file, ...tests]) {
    const isFile = await Deno.stat(`${root}/${path}`)
      .then((info) => info.isFile, () => false);
    if (!isFile) throw new Error(`no file "${path}"`);
  }
  const parts = (await Deno.readTextFile(`${root}/${file}`)).split(find);
  if (parts.length === 2) return parts.join(replace);
  const count = parts.length - 1;
  throw new Error(`the text to find occurs ${count} times, expected once`);
}
