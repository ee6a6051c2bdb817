import { escaped, htmlPage, type Page } from "./html_page.ts";
import { PAGE_SCRIPT, PAGE_STYLE } from "./page_script.ts";
import type { StoryData } from "./story_data.ts";

/**
 * The page of a recording.
 *
 * @param story What it shows
 * @param isLive Whether it asks its server for what comes later
 */
export function toPage(story: StoryData, isLive = false): Promise<Page> {
  const { head } = story;
  return htmlPage({
    title: head.name,
    isLive,
    script: PAGE_SCRIPT,
    style: PAGE_STYLE,
    data: story,
    body: `<header>
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
<footer><kbd>/</kbd> search · <kbd>j</kbd> <kbd>k</kbd> next, previous · <kbd>e</kbd> next failure · <kbd>Enter</kbd> open</footer>`,
  });
}
