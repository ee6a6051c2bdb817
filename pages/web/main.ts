// Runs in the page of `sluice web`.
import type { PageEvent } from "../../src/command/web/data.ts";
import { find } from "../inspect/elements.ts";
import { switchTheme } from "../theme.ts";
import { showAsked } from "./asked.ts";
import { Chat } from "./chat.ts";
import { showDoing, showFailure } from "./doing.ts";
import { showLive } from "./live.ts";
import { showsPast } from "./past.ts";
import { writes } from "./prompt.ts";
import { SESSION } from "./send.ts";

/** So near to its end a page follows what comes, in pixels. */
const NEAR = 60;

const chat = new Chat();
let source: EventSource | undefined;

/** Shows what came; a page that stands at its end stays there, unless something is asked. */
function show({ asked, doing, isPaused, live, story }: PageEvent): void {
  const { documentElement: page } = document;
  const isAtEnd = scrollY + innerHeight >= page.scrollHeight - NEAR;
  if (story !== undefined) chat.show(story);
  if (live !== undefined) showLive(live ?? undefined);
  if (asked !== undefined) {
    showAsked(asked);
    document.title = `${asked.length > 0 ? "Question - " : ""}${
      find("h1").textContent
    } - sluice`;
  }
  if (doing !== undefined) showDoing(doing);
  page.dataset["ready"] = "yes";
  if (isPaused) pause();
  const [card] = find("#asked").children;
  if (!isAtEnd) return;
  if (card === undefined) scrollTo(0, page.scrollHeight);
  else if (asked !== undefined) card.scrollIntoView({ block: "start" });
}

function listen(): void {
  source = new EventSource(`events?session=${encodeURIComponent(SESSION)}`);
  // It begins with all of the session.
  source.addEventListener("open", () => {
    showLive(undefined);
    showFailure(undefined);
  });
  source.addEventListener("message", ({ data }) => show(JSON.parse(data)));
  source.addEventListener("error", () => {
    showFailure("Not connected: sluice web has ended, or answers again soon");
  });
}

/** Another page took the connection; it comes back to the page that is looked at. */
function pause(): void {
  source?.close();
  source = undefined;
  showFailure("Paused, since many pages are open: come back to continue");
}

for (const event of ["focus", "pointerdown", "keydown"]) {
  addEventListener(event, () => {
    if (source === undefined) listen();
  });
}
find<HTMLAnchorElement>("#new").href = `?session=${crypto.randomUUID()}`;
find("#all").addEventListener("click", ({ currentTarget }) => {
  const isPressed = String(chat.toggle());
  (currentTarget as HTMLElement).setAttribute("aria-pressed", isPressed);
});
switchTheme(document.querySelector("#theme"));
showsPast(find("#past"));
writes();
listen();
