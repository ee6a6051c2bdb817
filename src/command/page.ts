import { PAGE_SCRIPT, PAGE_STYLE } from "./page_script.ts";
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
