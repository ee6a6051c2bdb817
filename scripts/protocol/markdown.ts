/** Puts made parts into pages of docs/. */
import { formatted, ROOT } from "../project.ts";

/** A page of docs/ by its path, with its made parts. */
export async function pageWith(
  path: string,
  parts: ReadonlyMap<string, string>,
): Promise<string> {
  const page = await Deno.readTextFile(new URL(path, ROOT));
  return await formatted(withParts(page, parts), "md");
}

/** A page with its made parts put in between their marks. */
export function withParts(
  page: string,
  parts: ReadonlyMap<string, string>,
): string {
  let text = page;
  for (const [name, part] of parts) {
    const [begin, end] = [`<!-- made: ${name} -->`, `<!-- end: ${name} -->`];
    const from = text.indexOf(begin);
    const to = text.indexOf(end);
    if (from < 0 || to < from) throw new Error(`A page lacks "${begin}"`);
    text = `${text.slice(0, from + begin.length)}\n\n${part.trim()}\n\n${
      text.slice(to)
    }`;
  }
  return text;
}

export function table<T>(
  heads: readonly string[],
  items: readonly T[],
  cellsOf: (item: T) => readonly string[],
): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((one) => one.replaceAll("|", "\\|")).join(" | ")} |`;
  return [
    line(heads),
    line(heads.map(() => "---")),
    ...items.map((item) => line(cellsOf(item))),
  ].join("\n");
}

/** An item of a list, in lines that a diff can show. */
export function listItem(text: string): string {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last === "") lines[lines.length - 1] = word;
    else if (last.length + word.length < 140) {
      lines[lines.length - 1] += ` ${word}`;
    } else lines.push(word);
  }
  return `- ${lines.join("\n  ")}`;
}
