// Runs in the page that `sluice inspect` makes.
import type { Anew, StoryData } from "../../src/command/story_data.ts";
import { switchTheme } from "../theme.ts";
import { find, make } from "./elements.ts";
import { showHead, warning } from "./head.ts";
import { LongList } from "./long_list.ts";
import { Row } from "./row.ts";
import { Steps } from "./steps.ts";

const steps = new Steps();
/** Rows and headings that were near the screen at some time. */
const rows = new Map<string, Row>();
const headings = new Map<string, HTMLElement>();
const kinds = new Set<string>();
let isErrorsOnly = false;
const input = find<HTMLInputElement>("input");
const list = new LongList((id) => rowOf(id)?.node ?? headingOf(id));

function rowOf(id: string): Row | undefined {
  const known = rows.get(id);
  const step = steps.byId(id);
  if (known !== undefined || step === undefined) return known;
  const row = new Row(step, steps.depthOf(step));
  rows.set(id, row);
  return row;
}

function headingOf(id: string): HTMLElement {
  const known = headings.get(id);
  if (known !== undefined) return known;
  const heading = make("h2", "", steps.headingOf(Number(id.slice(4))));
  heading.id = id;
  headings.set(id, heading);
  return heading;
}

/** Shows what fits. */
function filter(): void {
  const words = input.value.toLowerCase();
  const { found, ids } = steps.list({ kinds, isErrorsOnly, words });
  list.show(ids);
  find("#found").textContent = `${found} of ${steps.count} steps`;
}

function showFilters(): void {
  const { failed, kinds: counts } = steps.counts();
  const buttons = [...counts].map(([kind, number]) =>
    toggle(`${kind} ${number}`, kinds.has(kind), () => {
      if (!kinds.delete(kind)) kinds.add(kind);
    })
  );
  if (failed > 0) {
    buttons.push(toggle(`failed ${failed}`, isErrorsOnly, () => {
      isErrorsOnly = !isErrorsOnly;
    }));
  }
  find("#filters").replaceChildren(...buttons);
}

function toggle(text: string, isOn: boolean, act: () => void): HTMLElement {
  const button = make("button", "", text);
  button.type = "button";
  button.setAttribute("aria-pressed", String(isOn));
  button.addEventListener("click", () => {
    act();
    button.setAttribute("aria-pressed", String(!isOn));
    filter();
  });
  return button;
}

/** Gives the focus to the next step, or the one before; to failures alone if asked. */
function move(by: 1 | -1, toErrors = false): void {
  const { ids } = list;
  const here = document.activeElement?.closest(".step")
    ?.querySelector("summary");
  const from = here ? ids.indexOf(here.id) : -1;
  for (let to = from + by; to >= 0 && to < ids.length; to += by) {
    const id = ids[to] ?? "";
    const step = steps.byId(id);
    if (step === undefined || toErrors && !step.isError) continue;
    list.reveal(id);
    const summary = rowOf(id)?.summary;
    summary?.focus({ preventScroll: true });
    summary?.scrollIntoView({ block: "nearest" });
    return;
  }
}

/** Goes to what the address names, a turn or a step, and opens that. */
function follow(): void {
  const id = location.hash.slice(1);
  if (!list.reveal(id)) {
    const isThere = steps.byId(id) !== undefined || /^turn\d+$/.test(id);
    if (!isThere) return;
    // It is filtered out.
    input.value = "";
    kinds.clear();
    isErrorsOnly = false;
    showFilters();
    filter();
    if (!list.reveal(id)) return;
  }
  const row = rowOf(id);
  if (row === undefined) headingOf(id).scrollIntoView({ block: "start" });
  else row.goTo();
}

const KEYS: Readonly<Record<string, () => void>> = {
  "/": () => input.focus(),
  j: () => move(1),
  k: () => move(-1),
  e: () => move(1, true),
};

input.addEventListener("input", filter);
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target !== input) {
    const act = KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  } else if (event.key === "Escape") {
    input.value = "";
    filter();
    input.blur();
  }
});
switchTheme(document.querySelector("#theme"));
addEventListener("hashchange", follow);

/** Shows a story, or what came to it. */
function show(story: StoryData): void {
  steps.take(story);
  showHead(story);
  for (const step of story.steps) {
    rows.get(`s${step.id}`)?.show(step, steps.depthOf(step));
  }
  showFilters();
  filter();
}

function listen(): void {
  const source = new EventSource("events");
  source.addEventListener("message", ({ data }) => {
    const event: StoryData | Anew = JSON.parse(data);
    if ("isAnew" in event) location.reload();
    else show(event);
  });
  source.addEventListener("error", () => {
    find("#warnings").replaceChildren(
      warning("Connection lost: these are the messages received so far"),
    );
  });
}

const { dataset } = document.documentElement;
const data = find("#data");
show(JSON.parse(data.textContent ?? ""));
// It may be megabytes.
data.remove();
follow();
dataset["ready"] = "yes";
if (dataset["live"] !== undefined) listen();
