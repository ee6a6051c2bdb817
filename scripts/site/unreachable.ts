/** Finds exported names that the search of the built site does not find. */
import MiniSearch from "minisearch";
import { pathToFileURL } from "node:url";
import { filesBelow } from "../project.ts";
import { rank, SEARCH } from "./search.ts";

/** As many results as the site shows. */
const SHOWN = 16;

/** A line for each name that is not among the first results for itself. */
export async function findUnreachable(
  folder: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const file = (await filesBelow(folder))
    .find((path) => path.includes("@localSearchIndex"));
  const { default: json } = await import(
    pathToFileURL(`${folder}/${file}`).href
  );
  const search = MiniSearch.loadJSON<{ readonly title: string }>(json, {
    fields: ["title", "titles", "text"],
    storeFields: ["title", "titles"],
    ...SEARCH.options,
    ...SEARCH.searchOptions && { searchOptions: SEARCH.searchOptions },
  });
  return [...new Set(names)].filter((name) =>
    !rank(search.search(name)).slice(0, SHOWN).some(({ id, title }) =>
      String(id).startsWith("/api/") && title.replace("()", "") === name
    )
  ).map((name) => `${name}: the search does not find it`);
}
