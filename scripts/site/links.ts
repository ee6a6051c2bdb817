/** Which links between the pages of a folder lead nowhere, and which pages are led to. */
import { dirname, join, normalize } from "node:path/posix";
import { filesBelow } from "../project.ts";

/** `deno doc` links type parameters of signatures, and gives some of them no place. */
const FOREIGN = /^type_param_/;

/** What a page offers and wants. */
interface Links {
  readonly ids: ReadonlySet<string>;
  readonly to: readonly (readonly [path: string, anchor: string])[];
}

/**
 * Looks at every link between the pages of a folder.
 *
 * @param folder Where the pages lie
 * @param first What all pages are to be reached from: the first page, and what its search finds
 * @returns The links that lead nowhere, a line for each; the pages that are reached, and those that are not
 */
export async function followLinks(
  folder: string,
  first: readonly string[],
): Promise<{
  readonly dead: readonly string[];
  readonly reached: ReadonlySet<string>;
  readonly unreached: readonly string[];
}> {
  const files = new Set(await filesBelow(folder));
  const pages = new Map<string, Links>();
  for (const path of files) {
    if (!path.endsWith(".html")) continue;
    pages.set(
      path,
      linksOf(path, await Deno.readTextFile(`${folder}/${path}`)),
    );
  }
  const dead: string[] = [];
  for (const [page, { to }] of pages) {
    for (const [path, anchor] of to) {
      if (!files.has(path)) {
        dead.push(`${page} links ${path}: no such file`);
      } else if (
        anchor !== "" && !FOREIGN.test(anchor) &&
        pages.get(path)?.ids.has(anchor) === false
      ) dead.push(`${page} links ${path}#${anchor}: no such place`);
    }
  }
  const reached = new Set(first);
  // A set that grows is walked to its new end.
  for (const page of reached) {
    for (const [path] of pages.get(page)?.to ?? []) reached.add(path);
  }
  const unreached = [...pages.keys()].filter((page) => !reached.has(page));
  return { dead, reached, unreached };
}

function linksOf(page: string, html: string): Links {
  const ids = Array.from(html.matchAll(/\bid="([^"]+)"/g), ([, id = ""]) => id);
  const to = Array.from(
    html.matchAll(/<(?:a|link|img|script)\b[^>]*?\b(?:href|src)="([^"]+)"/g),
    ([, link = ""]) => link.replaceAll("&#x2F;", "/").replaceAll("&amp;", "&"),
  ).filter((link) => !/^\w+:/.test(link)).map((link) => {
    const [path = "", anchor = ""] = decodeURI(link).split("#");
    const target = path === "" ? page : normalize(join(dirname(page), path));
    return [target, anchor] as const;
  });
  return { ids: new Set(ids), to };
}
