import { PAGE_SCRIPT } from "./page_script.ts";
import type { StoryData } from "./story_data.ts";

/** A page, and the policy that it carries. */
export interface Page {
  readonly html: string;
  /** The same as its own `meta` says, for an answer that has headers. */
  readonly policy: string;
}

/**
 * One page without outside requests: style, script and data.
 *
 * Its policy lets nothing run but the script whose hash it names. The data is JSON in which no markup can begin, and
 * the script makes text of it.
 *
 * @param story What it shows
 * @param isLive Whether it asks its server for what comes later
 */
export async function toPage(story: StoryData, isLive = false): Promise<Page> {
  const [script, style] = await Promise.all(
    [PAGE_SCRIPT, PAGE_STYLE].map(hashOf),
  );
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${script}'`,
    `style-src 'sha256-${style}'`,
    ...isLive ? ["connect-src 'self'"] : [],
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const { context, head, steps, turns } = story;
  const html = `<!doctype html>
<html lang="en"${isLive ? ' data-live="yes"' : ""}>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escaped(head.name)} - sluice</title>
<style>${PAGE_STYLE}</style>
</head>
<body>
<header>
<h1>${escaped(head.name)}</h1>
<dl class="facts"></dl>
<div id="warnings"></div>
<section id="context" hidden><h2>Context, in tokens</h2><svg class="plot" viewBox="0 0 720 120" role="img"></svg></section>
<section id="turns" hidden><h2>Turns</h2><div class="scroll" tabindex="0" role="region" aria-label="Turns"><table>
<thead><tr><th scope="col">Prompt</th><th scope="col">Time</th><th scope="col">Cost</th><th scope="col">Tokens in</th><th scope="col">out</th></tr></thead>
<tbody></tbody></table></div></section>
</header>
<nav class="bar" aria-label="Search and filter">
<input type="search" aria-label="Search" placeholder="Search: press /">
<span id="filters" role="group" aria-label="Kinds of steps"></span>
<button type="button" id="theme">Light or dark</button>
<span id="found" role="status"></span>
</nav>
<main></main>
<footer><kbd>/</kbd> search · <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>e</kbd> next failure · <kbd>Enter</kbd> open</footer>
<script type="application/json" id="data">${
    inert({ head, turns, steps, context })
  }</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
  return { html, policy };
}

/** JSON in which no tag and no comment can begin or end. */
function inert(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u2028\u2029]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (one) => ENTITIES[one] ?? "");
}

async function hashOf(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return btoa(String.fromCharCode(...new Uint8Array(digest)));
}

/** How the page looks: light and dark, wide and narrow. */
const PAGE_STYLE = `
:root { color-scheme: light dark; --ground: #fff; --raised: #f5f6f8; --line: #d5d9e0; --text: #1b1f27; --quiet: #59616e;
  --accent: #1f5fbf; --good: #1a7f45; --bad: #b3261e; --warn: #8a5a00; --mark: #fff1b8; }
@media (prefers-color-scheme: dark) { :root:not([data-theme=light]) { --ground: #14171c; --raised: #1d2128; --line: #363c47;
  --text: #e8eaee; --quiet: #a3abb8; --accent: #8ab4f8; --good: #7ad19a; --bad: #ff9a92; --warn: #f2c46d; --mark: #4d4210; } }
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; --ground: #14171c; --raised: #1d2128; --line: #363c47; --text: #e8eaee;
  --quiet: #a3abb8; --accent: #8ab4f8; --good: #7ad19a; --bad: #ff9a92; --warn: #f2c46d; --mark: #4d4210; }
* { box-sizing: border-box; }
html { scroll-padding-top: 7rem; }
body { margin: 0; background: var(--ground); color: var(--text); font: 15px/1.5 system-ui, sans-serif; }
header, main { max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.3rem; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1rem; margin: 1.6rem 0 .4rem; overflow-wrap: anywhere; }
.facts { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: 0; color: var(--quiet); }
.facts dt { display: inline; } .facts dt::after { content: " "; } .facts dd { display: inline; margin: 0; color: var(--text); overflow-wrap: anywhere; }
.warning { color: var(--warn); margin: .4rem 0 0; }
.bar { position: sticky; top: 0; z-index: 1; background: var(--ground); border-bottom: 1px solid var(--line); padding: .6rem 1rem; max-width: 72rem; margin: 0 auto; display: flex; flex-wrap: wrap; gap: .4rem; align-items: center; }
input, button { font: inherit; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: .4rem; padding: .2rem .6rem; }
input { flex: 1 1 12rem; min-width: 8rem; }
button { cursor: pointer; } button[aria-pressed=true] { border-color: var(--accent); color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.plot { width: 100%; height: auto; display: block; }
.plot .area { fill: var(--accent); opacity: .18; } .plot .edge { fill: none; stroke: var(--accent); stroke-width: 1.5; }
.plot text { fill: var(--quiet); font: 11px system-ui, sans-serif; } .plot line { stroke: var(--line); }
.scroll { overflow: auto; max-height: 24rem; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { text-align: right; padding: .15rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
th { color: var(--quiet); font-weight: 500; } th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 10rem; }
a { color: var(--accent); }
.step { border-left: 3px solid var(--line); margin: .15rem 0; padding-left: .6rem; margin-left: calc(var(--depth, 0) * 1.4rem); }
.step.error { border-left-color: var(--bad); } .step.prompt { border-left-color: var(--accent); } .step.permission { border-left-color: var(--warn); }
summary:target { background: var(--mark); }
summary { cursor: pointer; list-style: none; display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; border-radius: .3rem; padding: .05rem .3rem; }
summary::-webkit-details-marker { display: none; }
summary:hover { background: var(--raised); }
.time, .ms, .kind { color: var(--quiet); font-size: .85rem; font-variant-numeric: tabular-nums; }
.time { flex: 0 0 4.2rem; } .kind { flex: 0 0 5.2rem; } .title { flex: 1 1 14rem; min-width: 0; overflow-wrap: anywhere; }
.error > details > summary .title, .failed { color: var(--bad); }
pre { background: var(--raised); border-radius: .4rem; padding: .6rem; margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 30rem; overflow-y: auto; font: 13px/1.45 ui-monospace, monospace; }
.label { color: var(--quiet); font-size: .85rem; margin: .4rem 0 0; }
footer { max-width: 72rem; margin: 0 auto; padding: 1rem; color: var(--quiet); font-size: .85rem; }
kbd { border: 1px solid var(--line); border-radius: .25rem; padding: 0 .3rem; font: inherit; }
[hidden] { display: none !important; }
#filters { display: flex; flex-wrap: wrap; gap: .3rem; }
@media (max-width: 40rem) { .bar { position: static; padding: .7rem; } html { scroll-padding-top: .5rem; } .ms { order: 1; } .title { order: 2; } header, main { padding: .7rem; } .time { flex-basis: auto; } .kind { flex-basis: auto; } .title { flex-basis: 100%; } .step { margin-left: calc(var(--depth, 0) * .8rem); } }
@media print { .bar, footer { display: none; } }
`;
