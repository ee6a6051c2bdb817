/** The Markdown that the site is built from: README, docs/ and the like, copied into a folder. */
import { existsSync } from "node:fs";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  writeFile,
} from "node:fs/promises";
import { dirname, join, normalize } from "node:path/posix";
import { ROOT_PATH } from "../project.ts";
import { SIDEBAR } from "./sidebar.ts";

const PROTOCOL = "docs/protocol.md";
/** A longer section of the protocol becomes a page of its own. */
const MOST_LINES = 200;

/** The anchor of a heading, as GitHub makes it. */
export function slugOf(heading: string): string {
  return heading.trim().toLowerCase().replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** A page that was cut out of a longer one. */
interface Piece {
  readonly path: string;
  readonly text: string;
}

/** The protocol in pieces, and the link to each anchor of the whole. */
interface Pieces {
  readonly pages: readonly Piece[];
  readonly anchors: ReadonlyMap<string, string>;
}

/** A line for each page of docs/ that the sidebar does not list, and for each that it lists in vain. */
export async function findUnlisted(): Promise<readonly string[]> {
  const listed = Object.values(SIDEBAR).flat();
  const names = await readdir(`${ROOT_PATH}docs`);
  const pages = names.map((name) => `docs/${name}`)
    .filter((path) => path.endsWith(".md"));
  return [
    ...pages.filter((path) => !listed.includes(path))
      .map((path) => `${path}: list it in scripts/site/sidebar.ts`),
    ...listed.filter((path) => !existsSync(ROOT_PATH + path))
      .map((path) => `scripts/site/sidebar.ts lists ${path}: no such file`),
  ];
}

/** Copies all pages and pictures into a folder. */
export async function copyPages(folder: string): Promise<void> {
  const written = async (path: string, text: string) => {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  };
  await mkdir(folder, { recursive: true });
  const listed = Object.values(SIDEBAR).flat();
  for (const path of listed) {
    if (path === PROTOCOL) continue;
    await written(path, await readFile(ROOT_PATH + path, "utf8"));
  }
  for (const { path, text } of (await readProtocol()).pages) {
    await written(path, text);
  }
  await written(
    "index.md",
    landing(await readFile(`${ROOT_PATH}README.md`, "utf8")),
  );
  const pictures = "docs/pictures";
  await mkdir(`${folder}/${pictures}`, { recursive: true });
  for (const name of await readdir(ROOT_PATH + pictures)) {
    await copyFile(
      `${ROOT_PATH}${pictures}/${name}`,
      `${folder}/${pictures}/${name}`,
    );
  }
}

/** Cuts the page of the protocol. */
export async function readProtocol(): Promise<Pieces> {
  const text = await readFile(ROOT_PATH + PROTOCOL, "utf8");
  const pages: Piece[] = [];
  const anchors = new Map<string, string>();
  const seen = new Map<string, number>();
  let first = "";
  for (const part of text.split(/^(?=## )/m)) {
    const [heading = "", ...rest] = part.split("\n");
    const isLong = rest.length > MOST_LINES;
    const title = heading.replace(/^#+ /, "");
    const path = isLong
      ? PROTOCOL.replace(".md", `/${slugOf(title)}.md`)
      : PROTOCOL;
    const own = new Map<string, number>();
    for (const [, of = ""] of part.matchAll(/^#+ (.*)$/gm)) {
      const slug = numbered(own, slugOf(of));
      if (of === title && isLong) {
        anchors.set(slugOf(`Protocol ${title}`), path);
      }
      const isTop = isLong && of === title;
      anchors.set(
        numbered(seen, slugOf(of)),
        path + (isTop ? "" : `#${slug}`),
      );
    }
    if (isLong) {
      const body = rest.join("\n").replaceAll(/^###/gm, "##");
      pages.push({ path, text: `# Protocol: ${title.toLowerCase()}\n${body}` });
    } else first += part;
  }
  const links = pages.map(({ path, text }) => {
    const title = /^# (.*)$/m.exec(text)?.[1];
    return `- [${title}](/${path})\n`;
  }).join("");
  const end = `\n## All messages, requests and hooks\n\n${links}`;
  return { pages: [{ path: PROTOCOL, text: first + end }, ...pages], anchors };
}

function numbered(seen: Map<string, number>, slug: string): string {
  const count = seen.get(slug) ?? 0;
  seen.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}

/** Target of a page's link: another page, or the file in the repository. */
export function linkFrom(
  page: string,
  href: string,
  { isPage, anchors, repository }: {
    readonly isPage: (path: string) => boolean;
    readonly anchors: ReadonlyMap<string, string>;
    readonly repository: string;
  },
): string {
  if (/^(\w+:|\/)/.test(href) || page.startsWith("api/")) return href;
  const [path = "", anchor] = href.split("#");
  const isPiece = page.startsWith("docs/protocol/");
  if (path === "" && !isPiece && page !== PROTOCOL && page !== "index.md") {
    return href;
  }
  const here = isPiece ? PROTOCOL : page === "index.md" ? "README.md" : page;
  const to = path === ""
    ? here
    : normalize(join(dirname(here), path)).replace(/\/$/, "");
  const hash = anchor === undefined ? "" : `#${anchor}`;
  if (to === PROTOCOL) return `/${anchors.get(anchor ?? "") ?? to + hash}`;
  if (to === "README.md" && hash === "") return "/";
  if (isPage(to)) return `/${to}${hash}`;
  const isFile = existsSync(ROOT_PATH + to);
  return isFile ? `${repository}/blob/main/${to}${hash}` : href;
}

/** The first screen of README: its first sentence, its program, how to try and use it, and what it is good for. */
function landing(readme: string): string {
  const [, text = "", tagline = "", rest = ""] =
    /^# .*\n\s*\*\*(.*?)\*\*\s*([\s\S]*?)\n\n([\s\S]*)$/.exec(readme) ?? [];
  const [screen = "", benefits = ""] = rest.split("## What you get\n");
  const features = Array.from(
    benefits.matchAll(/^- \*\*(.*?)\.?\*\*\s+([\s\S]*?)\s+\[Test\]/gm),
    ([, title, details = ""]) => ({
      title,
      details: details.replaceAll(/\s+/g, " ").replaceAll(
        /\[(.*?)\]\(.*?\)/g,
        "$1",
      )
        .replaceAll(/`(.*?)`/g, "<code>$1</code>"),
    }),
  ).slice(0, 9);
  if (text === "" || features.length === 0) {
    throw new Error(
      'README.md no longer begins with a sentence in bold, or has no list under "What you get"',
    );
  }
  const front = {
    layout: "home",
    hero: {
      name: "Sluice",
      text,
      tagline: tagline.replaceAll("\n", " "),
      actions: [
        { theme: "brand", text: "Guide", link: "/docs/guide" },
        { theme: "alt", text: "Cookbook", link: "/docs/cookbook" },
        {
          theme: "alt",
          text: "From the official SDK",
          link: "/docs/migrating",
        },
      ],
    },
    features,
  };
  return `---\n${JSON.stringify(front)}\n---\n\n${screen}`;
}
