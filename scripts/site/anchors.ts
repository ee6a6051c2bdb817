/** Corrects links between the pages of exported names. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path/posix";
import { filesBelow } from "../project.ts";
import { slugOf } from "./pages.ts";

const LINK = /\]\(([^)#\s]*)#([\w-]+)\)/g;

/**
 * Removes the number of an anchor that the page does not have.
 *
 * Typedoc counts the method `options` of `Telemetry` and the type `TelemetryOptions` as one anchor; VitePress does not.
 */
export async function correctAnchors(folder: string): Promise<void> {
  const pages = new Map<string, string>();
  for (const path of await filesBelow(folder)) {
    if (!path.endsWith(".md")) continue;
    pages.set(path, await readFile(join(folder, path), "utf8"));
  }
  const anchors = new Map(
    Array.from(pages, ([path, text]) => [path, anchorsOf(text)] as const),
  );
  for (const [path, text] of pages) {
    const corrected = text.replaceAll(LINK, (link, href, anchor) => {
      const to = normalize(join(dirname(path), href || basename(path)));
      const known = anchors.get(to);
      const bare = String(anchor).replace(/-\d+$/, "");
      return known === undefined || known.has(anchor) || !known.has(bare)
        ? link
        : `](${href}#${bare})`;
    });
    if (corrected !== text) await writeFile(join(folder, path), corrected);
  }
}

/** The anchors of a page, as VitePress makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, id = ""] of text.matchAll(/ id="([^"]+)"/g)) anchors.add(id);
  for (const [, heading = ""] of text.matchAll(/^#+ (.*)$/gm)) {
    const slug = slugOf(heading);
    let anchor = slug;
    for (let at = 1; anchors.has(anchor); at++) anchor = `${slug}-${at}`;
    anchors.add(anchor);
  }
  return anchors;
}
