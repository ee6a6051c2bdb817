import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import type { DefaultTheme, UserConfig } from "vitepress";
import { REPOSITORY } from "../../project.ts";
import { linkFrom, readProtocol, slugOf } from "../pages.ts";
import { SEARCH } from "../search.ts";
import { SIDEBAR } from "../sidebar.ts";

const source = env["SLUICE_SITE_SOURCE"] ?? "";
const { anchors, pages: pieces } = await readProtocol();
const isPage = (path: string) =>
  existsSync(`${source}/${path}`) && path.endsWith(".md");

function titleOf(path: string): string {
  const [, title = path] =
    /^# (.*)$/m.exec(readFileSync(`${source}/${path}`, "utf8")) ?? [];
  return title.replaceAll("`", "");
}

function linkTo(path: string): DefaultTheme.SidebarItem {
  const below = path === "docs/protocol.md" ? pieces.slice(1) : [];
  return {
    text: titleOf(path),
    link: `/${path.replace(/\.md$/, "")}`,
    ...below.length > 0 && {
      collapsed: true,
      items: below.map((one) => linkTo(one.path)),
    },
  };
}

/** The entries of both packages. */
const entries = readdirSync(`${source}/api`, {
  recursive: true,
  encoding: "utf8",
}).filter((path) =>
  path.endsWith("index.md") && path.includes("@") &&
  !path.includes("namespaces")
)
  .map((path) => path.replace(/\/index\.md$/, "")).sort();
const api: DefaultTheme.SidebarItem = {
  text: "API: every exported name",
  link: "/api/",
  collapsed: true,
  items: entries.map((entry) => ({ text: entry, link: `/api/${entry}/` })),
};

const sidebar: DefaultTheme.SidebarMulti = {
  "/": Object.entries(SIDEBAR).map(([text, paths]) => ({
    text,
    items: [
      ...paths.map(linkTo),
      ...text === "Reference"
        ? [{ text: "API: every exported name", link: "/api/" }]
        : [],
    ],
  })),
  // There are hundreds of them, and each holds its list.
  "/api/": [{ ...api, collapsed: false }],
};

/** Blocks of code by their text: each page is rendered for itself and for the search. */
const highlighted = new Map<string, string>();

/** Colours of code as classes: written out at each word they are a quarter of the site. */
const colours = new Map<string, string>();

const config: UserConfig<DefaultTheme.Config> = {
  title: "Sluice",
  description: "Run coding agents from your own programs, on Deno, Bun or Node",
  lang: "en",
  srcDir: source,
  outDir: env["SLUICE_SITE_OUT"] ?? "",
  vite: {
    plugins: [{
      name: "ranked search",
      enforce: "pre",
      // The box of the search has no option for the order of its hits.
      resolveId: (source: string, importer?: string) =>
        source === "minisearch" && importer?.includes("VPLocalSearchBox")
          ? fileURLToPath(
            new URL("theme/ranked_search.ts", import.meta.url),
          )
          : undefined,
    }],
    resolve: {
      alias: [{
        find: /^\.\/components\/VPSidebar\.vue$/,
        replacement: fileURLToPath(
          new URL("theme/sidebar.ts", import.meta.url),
        ),
      }],
    },
    build: { chunkSizeWarningLimit: 2_000 },
  },
  cacheDir: `${source}/.cache`,
  transformPageData({ filePath, frontmatter }) {
    // Those are generated, and say where each name is defined.
    if (/^(api|docs\/protocol)\//.test(filePath)) {
      Object.assign(frontmatter, { editLink: false, prev: false, next: false });
    }
  },
  buildEnd({ outDir }) {
    const name = readdirSync(`${outDir}/assets`).find((name) =>
      /^style.*css$/.test(name)
    );
    const rules = Array.from(colours, ([style, name]) => `.${name}{${style}}`);
    appendFileSync(`${outDir}/assets/${name}`, rules.join(""));
  },
  // The links of the built pages are looked at, with their anchors.
  ignoreDeadLinks: true,
  // Else every page holds the names of all.
  metaChunk: true,
  markdown: {
    theme: {
      light: "github-light-high-contrast",
      dark: "github-dark-high-contrast",
    },
    codeTransformers: [{
      span(node) {
        const { style } = node.properties;
        if (typeof style !== "string") return;
        delete node.properties["style"];
        // That of the block itself.
        if (style.startsWith("--shiki-light:#0E1116;--shiki-dark:#F0F3F6")) {
          return;
        }
        const name = colours.get(style) ?? `c${colours.size}`;
        colours.set(style, name);
        node.properties["class"] = name;
      },
    }],
    anchor: { slugify: slugOf },
    config(md) {
      const { highlight } = md.options;
      md.options.highlight = (...block) => {
        const key = JSON.stringify(block);
        const made = highlighted.get(key) ?? highlight?.(...block) ?? "";
        highlighted.set(key, made);
        return made;
      };
      md.core.ruler.push("links", ({ env, tokens }) => {
        for (const { children } of tokens) {
          for (const token of children ?? []) {
            const href = token.attrGet("href");
            if (token.type !== "link_open" || href === null) continue;
            token.attrSet(
              "href",
              linkFrom(env.relativePath, href, {
                isPage,
                anchors,
                repository: REPOSITORY,
              }),
            );
          }
        }
      });
      // Vue drops a line break between two elements.
      md.renderer.rules.softbreak = () => " ";
      // A wide table scrolls: by keys, too.
      md.renderer.rules.table_open = () => '<table tabindex="0">\n';
    },
  },
  themeConfig: {
    sidebar,
    outline: [2, 3],
    nav: [
      { text: "Guide", link: "/docs/guide" },
      { text: "Cookbook", link: "/docs/cookbook" },
      { text: "Options", link: "/docs/options" },
      { text: "API", link: "/api/" },
    ],
    socialLinks: [{ icon: "github", link: REPOSITORY }],
    editLink: {
      text: "Edit this page",
      pattern: `${REPOSITORY}/edit/main/:path`,
    },
    search: {
      provider: "local",
      options: { miniSearch: SEARCH },
    },
  },
};

export default config;
