// Makes site/ of README, docs/ and the doc comments of every entry: static pages, and a search that needs no server.
//
//   npm run docs                       then open site/index.html
//   deno task docs --check             into a folder that goes away again
//
// Fails when a link leads nowhere, or a page cannot be reached from the first.
import { build, stop } from "esbuild";
import { Marked, type Tokens } from "marked";
import { basename, dirname, join, normalize, relative } from "node:path/posix";
import type { Found } from "../pages/found.ts";
import { followLinks } from "./site/links.ts";
import {
  conclude,
  DENO,
  filesBelow,
  listFiles,
  mustRun,
  readConfig,
  remove,
  REPOSITORY,
  ROOT,
  ROOT_PATH,
} from "./project.ts";

/** A page in the making. */
interface Page {
  /** Where it lies in the repository. */
  readonly source: string;
  /** Where it goes, from the root of the site. */
  readonly target: string;
  readonly title: string;
  readonly html: string;
}

/** Pages beside those of docs/. */
const OTHERS: readonly string[] = [
  "README.md",
  "CHANGELOG.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "bench/README.md",
  "examples/README.md",
];
/** Where the pages of exported names go. */
const API = "api";

/** How the pages look: light and dark, wide and narrow. */
const STYLE = `
:root { color-scheme: light dark; --ground: light-dark(#fff, #14171c); --raised: light-dark(#f5f6f8, #1d2128);
  --line: light-dark(#d5d9e0, #363c47); --text: light-dark(#1b1f27, #e8eaee); --quiet: light-dark(#59616e, #a3abb8);
  --accent: light-dark(#1f5fbf, #8ab4f8); }
:root[data-theme=light] { color-scheme: light; } :root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.6 system-ui, sans-serif;
  display: grid; grid-template: auto auto 1fr / 17rem minmax(0, 1fr); max-width: 84rem; margin: 0 auto; }
header { grid-column: 1 / -1; position: sticky; top: 0; z-index: 2; display: flex; gap: .8rem; align-items: center;
  padding: .6rem 1rem; background: var(--ground); border-bottom: 1px solid var(--line); }
.home { font-weight: 700; text-decoration: none; color: inherit; }
input, button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line);
  border-radius: .4rem; padding: .25rem .7rem; }
input { flex: 1; min-width: 6rem; } button { cursor: pointer; }
#found { grid-column: 1 / -1; position: sticky; top: 3.6rem; z-index: 2; margin: 0; padding: .6rem 1rem; list-style: none;
  max-height: 70vh; overflow-y: auto; background: var(--raised); border: 1px solid var(--line); }
#found a { display: block; padding: .2rem .4rem; text-decoration: none; } #found small { color: var(--quiet); }
nav { padding: 1rem; font-size: .92rem; } nav ul { list-style: none; padding: 0; margin: 0 0 1.2rem; }
nav summary { display: none; } nav a { display: block; padding: .12rem .4rem; border-radius: .3rem; color: var(--text); text-decoration: none; }
nav a:hover { background: var(--raised); } nav a[aria-current] { background: var(--raised); color: var(--accent); }
main { padding: .5rem 1.5rem 4rem; } main > p, main > ul, main > ol { max-width: 48rem; }
a { color: var(--accent); } h1 a, h2 a, h3 a, h4 a { color: inherit; text-decoration: none; }
h1 { font-size: 1.9rem; margin: 1rem 0 .6rem; } h2 { margin-top: 2.2rem; border-bottom: 1px solid var(--line); }
img { max-width: 100%; height: auto; border-radius: .5rem; border: 1px solid var(--line); }
code { font: .88em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--raised); border-radius: .25rem; padding: .1em .3em; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem; overflow-x: auto; line-height: 1.45; }
pre code { background: none; padding: 0; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; font-size: .93rem; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem; border: 1px solid var(--line); } th { background: var(--raised); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
[hidden] { display: none !important; }
@media (max-width: 50rem) { body { display: block; } nav summary { display: list-item; cursor: pointer; } nav { padding: .5rem 1rem; }
  main { padding: .5rem 1rem 3rem; } }
`;

const isCheck = Deno.args.includes("--check");
const site = isCheck
  ? await Deno.makeTempDir({ prefix: "sluice-site-" })
  : `${ROOT_PATH}site`;
const { exports, name } = await readConfig();
try {
  if (!isCheck) await clear();
  await mustRun(DENO, [
    ...["doc", "--html", `--name=${name}`, `--output=${site}/${API}`],
    ...Object.values(exports),
  ]);
  await linkIndexes();
  const sources = [
    ...OTHERS,
    ...await listFiles("docs", (path) => path.endsWith(".md")),
  ];
  const found: Found[] = [];
  const pages = await Promise.all(
    sources.map((source) => toPage(source, new Set(sources), found)),
  );
  for (const page of pages) await write(page.target, wrap(page, pages));
  await copyPictures();
  await write("style.css", STYLE);
  await addNames(found);
  await write("index.js", `globalThis.SLUICE_PAGES=${JSON.stringify(found)}\n`);
  await bundleSearch();
  conclude(
    await problemsOf(found),
    `${
      isCheck ? "the site" : "site/index.html"
    } has ${pages.length} pages and ${found.length} places to find; every link leads somewhere`,
  );
} finally {
  await stop();
  if (isCheck) await Deno.remove(site, { recursive: true });
}

/** What is wrong with the links; removes pages of names that another entry has, too, which `deno doc` makes and never links. */
async function problemsOf(found: readonly Found[]): Promise<readonly string[]> {
  const { dead, reached, unreached } = await followLinks(site, [
    "index.html",
    ...found.map(({ url }) => url.split("#")[0] ?? ""),
  ]);
  const names = new Set(Array.from(reached, (path) => basename(path)));
  const problems = [...dead];
  for (const path of unreached) {
    const [owner] = basename(path, ".html").split(".");
    if (path.startsWith(`${API}/`) && names.has(`${owner}.html`)) {
      await Deno.remove(`${site}/${path}`);
    } else problems.push(`${path}: nothing leads to it`);
  }
  return problems;
}

async function clear(): Promise<void> {
  await remove("site");
  await Deno.mkdir(site);
}

/** Without a server a link to a folder shows its files: `deno doc` means their index. */
async function linkIndexes(): Promise<void> {
  for (const name of await filesBelow(`${site}/${API}`)) {
    if (!name.endsWith(".html")) continue;
    const path = `${site}/${API}/${name}`;
    const html = await Deno.readTextFile(path);
    await Deno.writeTextFile(
      path,
      html.replaceAll(
        /(<a\b[^>]*\bhref="[^"]*(?:\/|&#x2F;))"/g,
        '$1index.html"',
      ),
    );
  }
}

async function write(path: string, text: string): Promise<void> {
  await Deno.mkdir(dirname(`${site}/${path}`), { recursive: true });
  await Deno.writeTextFile(`${site}/${path}`, text);
}

/** `README.md` is the index of its folder. */
function targetOf(source: string): string {
  return source.replace(/README\.md$/, "index.md").replace(/\.md$/, ".html");
}

async function toPage(
  source: string,
  sources: ReadonlySet<string>,
  found: Found[],
): Promise<Page> {
  const target = targetOf(source);
  const text = await Deno.readTextFile(new URL(source, ROOT));
  const marked = new Marked();
  const seen = new Map<string, number>();
  let title = "";
  let place: { id: number; title: string; of: string; url: string } | undefined;
  let words: string[] = [];
  const flush = () => {
    if (place !== undefined) found.push({ ...place, text: words.join(" ") });
    words = [];
  };
  marked.use({
    renderer: {
      heading({ depth, text: raw, tokens }: Tokens.Heading) {
        const plain = raw.replaceAll(/[`*_]|\]\([^)]*\)|\[/g, "");
        const slug = plain.toLowerCase().replaceAll(/[^\w\s-]/g, "")
          .replaceAll(" ", "-");
        const count = seen.get(slug) ?? 0;
        seen.set(slug, count + 1);
        const id = count === 0 ? slug : `${slug}-${count}`;
        flush();
        title ||= plain;
        place = { id: 0, title: plain, of: title, url: `${target}#${id}` };
        const inner = this.parser.parseInline(tokens);
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const inner = this.parser.parseInline(tokens);
        return `<a href="${
          escaped(linkFrom(source, href, sources))
        }">${inner}</a>`;
      },
    },
    walkTokens(token) {
      if (token.type === "text" || token.type === "codespan") {
        words.push(token.text);
      }
    },
  });
  const html = await marked.parse(text.replaceAll(/<!--.*?-->\n?/gs, ""));
  flush();
  // A wide table scrolls by itself.
  const scrolling = html
    .replaceAll("<table>", '<div class="scroll" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { source, target, title, html: scrolling };
}

/** Pages link pages; what is no page is looked at where the source lies. */
function linkFrom(
  source: string,
  href: string,
  sources: ReadonlySet<string>,
): string {
  if (/^(\w+:|#)/.test(href)) return href;
  const [path = "", anchor] = href.split("#");
  const to = normalize(join(dirname(source), path)).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  return sources.has(to)
    ? relative(dirname(targetOf(source)), targetOf(to)) + hash
    : `${REPOSITORY}/blob/HEAD/${to}${hash}`;
}

/** Bar, list of pages, and the page itself. */
function wrap({ html, target, title }: Page, pages: readonly Page[]): string {
  const up = relative(dirname(target), ".") || ".";
  const entry = (to: string, text: string) => {
    const current = to === target ? ' aria-current="page"' : "";
    return `<li><a href="${up}/${to}"${current}>${escaped(text)}</a></li>`;
  };
  const list = (accept: (page: Page) => boolean) =>
    pages.filter(accept).map((page) => entry(page.target, page.title)).join("");
  const isOfDocs = ({ source }: Page) => source.startsWith("docs/");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}${title === "Sluice" ? "" : " - Sluice"}</title>
<link rel="stylesheet" href="${up}/style.css">
</head>
<body data-up="${up}">
<header><a class="home" href="${up}/index.html">Sluice</a>
<input type="search" id="search" placeholder="Search: press /" aria-label="Search all pages and exported names">
<button type="button" id="theme">Light or dark</button></header>
<ol id="found" hidden></ol>
<nav aria-label="Pages"><details open><summary>Pages</summary>
<ul>${entry(`${API}/index.html`, "Every exported name")}${list(isOfDocs)}</ul>
<ul>${list((page) => !isOfDocs(page))}</ul></details></nav>
<main>
${html}</main>
<script src="${up}/index.js"></script>
<script src="${up}/search.js"></script>
</body>
</html>
`;
}

async function copyPictures(): Promise<void> {
  await Deno.mkdir(`${site}/docs/pictures`, { recursive: true });
  for (const path of await listFiles("docs/pictures")) {
    await Deno.copyFile(new URL(path, ROOT), `${site}/${path}`);
  }
}

/** Every exported name can be found as well. */
async function addNames(found: Found[]): Promise<void> {
  const text = await Deno.readTextFile(`${site}/${API}/search_index.js`);
  const [, json = ""] = /= (\{.*\});/s.exec(text) ?? [];
  const { nodes } = JSON.parse(json) as {
    readonly nodes: readonly {
      readonly name: string;
      readonly file: string;
      readonly doc: string;
      readonly url: string;
    }[];
  };
  if (nodes.length === 0) throw new Error("deno doc gave no names to find");
  for (const { doc, file, name: title, url } of nodes) {
    const of = file === "." ? name : `${name}/${file}`;
    const text = doc.slice(0, 200);
    found.push({ id: 0, title, of, text, url: join(API, url) });
  }
  found.forEach((one, id) => found[id] = { ...one, id });
}

async function bundleSearch(): Promise<void> {
  await build({
    entryPoints: [`${ROOT_PATH}pages/search.ts`],
    bundle: true,
    minify: true,
    platform: "browser",
    outfile: `${site}/search.js`,
    logLevel: "warning",
  });
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
