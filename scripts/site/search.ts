/** Matching and ranking of the site's search. VitePress writes its functions into the pages: they may use nothing from outside. */
import type { DefaultTheme } from "vitepress";

/** Pages of exported names and of the wire rank lower, and those about Sluice itself; an exact name ranks first. */
export const SEARCH: NonNullable<
  DefaultTheme.LocalSearchOptions["miniSearch"]
> = {
  options: {
    // Words of code stay whole.
    tokenize: (text) => text.split(/[^\p{L}\p{N}_$]+/u),
    processTerm: (term) =>
      /^(|an?|and|are|at|can|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|use|what|when|with|you|your)$/i
          .test(term)
        ? null
        // Hooks are found by hook.
        : term.toLowerCase().replace(/(?<=...[^s])s$/, ""),
  },
  searchOptions: {
    prefix: (term) => term.length > 2,
    fuzzy: (term) => term.length > 4 ? 0.2 : false,
    weights: { prefix: 0.15, fuzzy: 0.1 },
    boost: { title: 4, titles: 2, text: 1 },
    boostDocument: (id, term, fields) => {
      const path = String(id).toLowerCase();
      if (path.startsWith("/api/")) {
        const name = String(fields?.["title"]).replace("()", "");
        const isName =
          name.toLowerCase().replace(/(?<=...[^s])s$/, "") === term;
        // Of plain words, "session" say, the guides tell more.
        const isPlain = /^[A-Z]?[a-z]+$/.test(name);
        return !isName ? 0.05 : isPlain ? 1.1 : 1.5;
      }
      const isAside =
        /^\/(changelog|contributing|security|bench|docs\/(protocol|decisions|architecture))/;
      const isTop = (fields?.["titles"] as readonly string[]).length === 0;
      return (isAside.test(path) ? 0.4 : 1) * (isTop ? 1.8 : 1);
    },
  },
  _splitIntoSections: (path, html) => {
    const [, page] = path.split("/api/@");
    // The usual way: a section for each heading.
    if (page === undefined) return undefined as never;
    const [entry = "", group] = `@${page}`.replace(/\/?index\.md$/, "")
      .split("/namespaces/");
    const parts = html.split(/(?=<h[13] id=)/).slice(1);
    // The page of an entry lists what others say, but for names that are its own.
    return group === undefined
      ? parts.filter((part) => part.startsWith("<h1") || /Renames/.test(part))
        .map((part) => sectionOf(part, []))
      : parts.filter((part) => part.startsWith("<h3"))
        .map((part) => sectionOf(part, [entry]));
  },
};

/** An exported name: its first words, and its members. */
function sectionOf(part: string, above: readonly string[]) {
  const [, anchor = "", heading = "", rest = ""] =
    /^<h\d id="([^"]*)"[^>]*>(.*?)<a class="header-anchor".*?<\/h\d>(.*)$/s
      .exec(part) ?? [];
  const [summary = ""] = rest.split(/<h\d|<table/);
  const aside = /<div class="language.*?<\/div>|<p>Defined in.*?<\/p>/gs;
  const member =
    /<a id="property-[^>]*><\/a>\s*<code[^>]*>(.*?)<\/code>|<h\d id="([^"]*)"/g;
  const members = Array.from(
    above.length === 0 ? [] : rest.matchAll(member),
    ([, property, method]) => property ?? method,
  );
  return {
    anchor,
    titles: [...above, textOf(heading).replace("abstract ", "").trim()],
    text: [textOf(summary.replaceAll(aside, "")), ...members].join(" "),
  };
}

function textOf(html: string): string {
  return html.replaceAll(/<[^>]*>/g, "").replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
