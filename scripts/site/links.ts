/** Finds links of built pages without a target. */
import { dirname, join, normalize } from "node:path/posix";
import { filesBelow } from "../project.ts";

/** Link targets and links of a page. */
interface Links {
  readonly ids: ReadonlySet<string>;
  readonly hrefs: readonly string[];
}

/**
 * Looks at every link of every page of a folder.
 *
 * @param folder Where the site lies
 * @returns A line for each link to a file or a place that is missing, or outside of the site by `file:`
 */
export async function findDeadLinks(
  folder: string,
): Promise<readonly string[]> {
  const files = new Set(await filesBelow(folder));
  const pages = new Map<string, Links>();
  for (const path of files) {
    if (!path.endsWith(".html")) continue;
    const html = await Deno.readTextFile(`${folder}/${path}`);
    pages.set(path, {
      ids: new Set(all(html, /\sid="([^"]+)"/g)),
      hrefs: all(
        html,
        /<(?:a|link|img|script)\b[^>]*?\s(?:href|src)="([^"]+)"/g,
      ),
    });
  }
  const dead = new Set<string>();
  for (const [page, { hrefs, ids }] of pages) {
    for (const href of hrefs) {
      const problem = problemOf(page, href, ids);
      if (problem !== undefined) dead.add(`${page} links ${href}: ${problem}`);
    }
  }
  return [...dead];

  function problemOf(page: string, href: string, own: ReadonlySet<string>) {
    if (/^(https?|mailto|data):/.test(href)) return undefined;
    if (/^\w+:/.test(href)) return "not an address of the web";
    const [path = "", anchor = ""] = decodeURI(href).split("#");
    const target = path === "" ? page : fileOf(page, path);
    if (target === undefined) return "no such file";
    const places = target === page ? own : pages.get(target)?.ids;
    return anchor === "" || places?.has(anchor) ? undefined : "no such place";
  }

  function fileOf(page: string, path: string): string | undefined {
    const full = path.startsWith("/")
      ? path.slice(1)
      : normalize(join(dirname(page), path));
    return [full, `${full}.html`, join(full, "index.html")]
      .find((one) => files.has(one));
  }
}

function all(html: string, pattern: RegExp): readonly string[] {
  return Array.from(
    html.matchAll(pattern),
    ([, text = ""]) => text.replaceAll("&amp;", "&"),
  );
}
