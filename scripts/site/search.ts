/** Matching and ranking of the site's search. VitePress writes the functions of `SEARCH` into the pages: they may use nothing from outside. */
import type { SearchResult } from "minisearch";
import type { DefaultTheme } from "vitepress";

/** Pages of exported names and of the wire rank lower, and those about Sluice itself; an exact name ranks first. */
export const SEARCH: NonNullable<
  DefaultTheme.LocalSearchOptions["miniSearch"]
> = {
  options: {
    // Words of code stay whole.
    tokenize: (text) => text.split(/[^\p{L}\p{N}_$]+/u),
    processTerm: (term) =>
      /^(|an?|and|are|at|can|did|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|use|what|when|with|you|your)$/i
          .test(term)
        ? null
        // Hooks are found by hook.
        : term.toLowerCase().replace(/(?<=...[^s])s$/, ""),
  },
  searchOptions: {
    // Words of users, and those of the pages.
    processTerm: (term) => {
      const stop =
        /^(|an?|and|are|at|can|did|do|does|for|from|how|i|in|is|it|my|of|on|or|that|the|this|to|use|what|when|with|you|your)$/i;
      if (stop.test(term)) return null;
      const word = term.toLowerCase().replace(/(?<=...[^s])s$/, "");
      const synonyms: Readonly<Record<string, string>> = {
        changed: "changelog",
        concurrent: "parallel",
        concurrently: "parallel",
        disallow: "deny",
        disallowed: "deny",
        example: "cookbook",
        forbid: "deny",
        k8s: "kubernetes",
        kill: "end",
        logger: "logging",
        metric: "observability",
        mock: "fake",
        mocking: "fake",
        multiple: "each",
        otel: "opentelemetry",
        otlp: "opentelemetry",
        recipe: "cookbook",
        rollup: "vite",
        simultaneously: "parallel",
        todo: "todowrite",
        token: "tokens",
        tracing: "trace",
        undo: "rewind",
        update: "upgrade",
        ws: "websocket",
      };
      const other = synonyms[word];
      return other === undefined ? word : [word, other];
    },
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
      const isReference = /^\/docs\/(options|controls)/;
      return (isAside.test(path) ? 0.4 : 1) *
        (isReference.test(path) ? 0.7 : 1) * (isTop ? 1.8 : 1);
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

/** At most this many of the first hits are of one page. */
const MOST_OF_A_PAGE = 2;
const FIRST_HITS = 5;

/** Puts hits that have more of the words first. Among the first places guides precede types, and no page takes all of them. */
export function rank<Hit extends SearchResult>(
  hits: readonly Hit[],
): readonly Hit[] {
  const asked = new Set(hits.flatMap(({ queryTerms }) => queryTerms)).size;
  const sorted = hits.map((hit) => ({ hit, score: scoreOf(hit, asked) }))
    .sort((one, other) => other.score - one.score);
  const guidesFirst = sorted.map(({ hit, score }) => ({
    hit,
    score: isPlainName(hit) ? score * (asked > 1 ? 0.05 : 0.5) : score,
  })).sort((one, other) => other.score - one.score);
  const first = new Set<Hit>();
  const counts = new Map<string, number>();
  for (const { hit } of guidesFirst) {
    const [page = ""] = String(hit.id).split("#");
    const count = counts.get(page) ?? 0;
    if (first.size === FIRST_HITS) break;
    if (count === MOST_OF_A_PAGE) continue;
    first.add(hit);
    counts.set(page, count + 1);
  }
  const rest = sorted.filter(({ hit }) => !first.has(hit));
  return [...first, ...rest.map(({ hit }) => hit)];
}

/** The score, less for a hit that lacks words, or has only similar ones. */
function scoreOf(hit: SearchResult, asked: number): number {
  const exact = hit.queryTerms.filter((word) =>
    hit.terms.some((term) => term.startsWith(word))
  );
  return hit.score * Math.max(exact.length, 0.5) / asked;
}

/** Exported names such as `tool` and `Budget` are words of any question. */
function isPlainName({ id, title }: SearchResult): boolean {
  return String(id).startsWith("/api/") &&
    /^[A-Z]?[a-z]+(\(\))?$/.test(title);
}
