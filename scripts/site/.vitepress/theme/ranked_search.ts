import MiniSearch, { type Options, type SearchResult } from "minisearch";
import { rank } from "../../search.ts";

/** An index of the pages. */
interface RankedIndex {
  search(words: string): readonly SearchResult[];
}

/** Loads the index for the box of the search, which then shows hits in the order of this site. */
const RankedSearch: { loadJSON(json: string, options: Options): RankedIndex } =
  {
    loadJSON(json, options) {
      const index = MiniSearch.loadJSON(json, options);
      return { search: (words) => rank(index.search(words)) };
    },
  };

export default RankedSearch;
