import MiniSearch, { type Options } from "minisearch";
import { rank } from "../../search.ts";

/** The search index as the box of VitePress loads it, with hits in the order of this site. */
const RankedSearch = {
  loadJSON(json: string, options: Options) {
    const index = MiniSearch.loadJSON(json, options);
    return { search: (words: string) => rank(index.search(words)) };
  },
};

export default RankedSearch;
