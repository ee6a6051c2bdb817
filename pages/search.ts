// Runs in the pages of the site: finds pages and exported names, and changes between light and dark.
import MiniSearch from "minisearch";
import type { Found } from "./found.ts";
import { switchTheme } from "./theme.ts";

const MOST = 30;

const { up = "." } = document.body.dataset;
const input = document.querySelector<HTMLInputElement>("#search");
const list = document.querySelector<HTMLElement>("#found");
let index: MiniSearch | undefined;

/** Made by the first search: who only reads does not wait for it. */
function indexed(): MiniSearch {
  if (index !== undefined) return index;
  index = new MiniSearch({
    fields: ["title", "of", "text"],
    storeFields: ["title", "of", "url"],
    searchOptions: {
      boost: { title: 4, of: 2 },
      prefix: true,
      fuzzy: (term) => term.length > 4 ? 0.2 : false,
      combineWith: "AND",
    },
  });
  const { SLUICE_PAGES: pages } = globalThis as unknown as {
    readonly SLUICE_PAGES: readonly Found[];
  };
  index.addAll(pages);
  return index;
}

function search(): void {
  if (input === null || list === null) return;
  const words = input.value.trim();
  const results = words === "" ? [] : indexed().search(words).slice(0, MOST);
  list.replaceChildren(...results.map(({ of, title, url }) => {
    const link = document.createElement("a");
    link.href = `${up}/${url}`;
    const place = document.createElement("small");
    place.textContent = of;
    link.append(title, " ", place);
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
  if (words !== "" && results.length === 0) list.textContent = "Nothing found";
  list.hidden = words === "";
}

// On a narrow screen the page comes first.
const pages = document.querySelector<HTMLDetailsElement>("nav details");
if (pages !== null && matchMedia("(max-width: 50rem)").matches) {
  pages.open = false;
}
input?.addEventListener("input", search);
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && document.activeElement !== input) {
    event.preventDefault();
    input?.focus();
  }
  if (event.key === "Escape" && input !== null) {
    input.value = "";
    search();
  }
});
switchTheme(document.querySelector("#theme"));
