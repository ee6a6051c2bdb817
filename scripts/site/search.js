// Runs in the pages of the site: finds pages and exported names, and changes between light and dark.
// It is no TypeScript: the types of a browser would change those of everything that is checked along with it.
import MiniSearch from "minisearch";

const MOST = 30;

const { up = "." } = document.body.dataset;
const input = document.querySelector("#search");
const list = document.querySelector("#found");
const theme = document.querySelector("#theme");
let index;

/** Made by the first search: who only reads does not wait for it. */
function indexed() {
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
  index.addAll(globalThis.SLUICE_PAGES);
  return index;
}

function search() {
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
const pages = document.querySelector("nav details");
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
theme?.addEventListener("click", () => {
  const { dataset } = document.documentElement;
  const isDark = dataset["theme"] === undefined
    ? matchMedia("(prefers-color-scheme: dark)").matches
    : dataset["theme"] === "dark";
  dataset["theme"] = isDark ? "light" : "dark";
});
