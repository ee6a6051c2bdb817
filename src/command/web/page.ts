import { htmlPage, type Page } from "../html_page.ts";
import { PAGE_SCRIPT, PAGE_STYLE } from "./page_script.ts";

let made: Promise<Page> | undefined;

/** The page of a session: what it shows comes by its events. */
export function webPage(): Promise<Page> {
  return made ??= htmlPage({
    title: "Session",
    isLive: true,
    script: PAGE_SCRIPT,
    style: PAGE_STYLE,
    data: {},
    body: `<header>
<h1>Session</h1>
<dl class="facts"></dl>
<div class="tools">
<button type="button" id="past" aria-expanded="false" aria-controls="sessions">Sessions</button>
<a id="new" href="./">New session</a>
<button type="button" id="all" aria-pressed="false">All steps</button>
<button type="button" id="theme">Light or dark</button>
</div>
<nav id="sessions" aria-label="Sessions" hidden><ul></ul></nav>
<div id="warnings"></div>
</header>
<main></main>
<section id="live" aria-label="Being written" hidden><p class="label"></p><pre tabindex="0" role="group" aria-label="Text so far"></pre></section>
<section id="asked" aria-label="Questions of the agent" aria-live="polite"></section>
<form id="send">
<p id="doing" role="status"></p>
<p id="failure" role="alert" hidden></p>
<textarea id="prompt" aria-label="Prompt" rows="2" placeholder="Write to the agent. Enter sends, Shift+Enter begins a line."></textarea>
<div class="tools"><button type="submit">Send</button><button type="button" id="stop" disabled>Stop</button></div>
</form>`,
  });
}
