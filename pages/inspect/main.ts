// Runs in the page that `sluice inspect` makes.
import type { Step, StoryData, Turn } from "../../src/command/story.ts";
import { switchTheme } from "../theme.ts";
import { find, make } from "./elements.ts";
import { showHead, warning } from "./head.ts";
import { Row } from "./row.ts";

/** A long story comes in pieces, so that its beginning is there at once. */
const BATCH = 1_000;

const steps: Step[] = [];
const rows = new Map<number, Row>();
const sections = new Map<number, HTMLElement>();
const kinds = new Set<string>();
let turns: readonly Turn[] = [];
let isErrorsOnly = false;
let words = "";
const main = find("main");
const input = find<HTMLInputElement>("input");

function sectionOf(number: number): HTMLElement {
  const known = sections.get(number);
  if (known !== undefined) return known;
  const section = make("section");
  section.id = `turn${number}`;
  const turn = turns[number - 1];
  section.append(make("h2", "", titleOf(turn)));
  sections.set(number, section);
  main.append(section);
  return section;
}

function titleOf(turn: Turn | undefined): string {
  return turn === undefined
    ? "Before the first prompt"
    : `Turn ${turn.number}: ${turn.prompt}`;
}

function placeOf(step: Step): HTMLElement {
  const parent = rows.get(step.parent ?? -1)?.node;
  if (parent === undefined) return sectionOf(step.turn);
  const inner = parent.querySelector<HTMLElement>(":scope > .children");
  if (inner !== null) return inner;
  const made = make("div", "children");
  parent.append(made);
  return made;
}

function showStep(step: Step): void {
  steps[step.id] = step;
  const known = rows.get(step.id);
  const row = known ?? new Row(step);
  rows.set(step.id, row);
  const place = placeOf(step);
  // What came before the call it is about goes there when that comes.
  if (row.node.parentElement !== place) place.append(row.node);
  if (known !== undefined) row.show(step);
  row.node.hidden = !fits(step);
}

function fits({ answer, isError, kind, text, title }: Step): boolean {
  if (isErrorsOnly && !isError) return false;
  if (kinds.size > 0 && !kinds.has(kind)) return false;
  return words === "" ||
    [title, text, answer].some((one) => one?.toLowerCase().includes(words));
}

function filter(): void {
  const fitting = new Set<number>();
  let found = 0;
  for (const step of steps) {
    if (!fits(step)) continue;
    found++;
    // What surrounds a step stays, so that it is seen where it belongs.
    for (let one: Step | undefined = step; one !== undefined;) {
      fitting.add(one.id);
      one = steps[one.parent ?? -1];
    }
  }
  for (const [id, { node }] of rows) node.hidden = !fitting.has(id);
  for (const section of sections.values()) {
    section.hidden = section.querySelector(".step:not([hidden])") === null;
  }
  find("#found").textContent = `${found} of ${steps.length} steps`;
}

function showFilters(): void {
  const list = find("#filters");
  const counts = new Map<string, number>();
  for (const { kind } of steps) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  list.replaceChildren();
  const add = (text: string, isOn: boolean, act: () => void) => {
    const button = make("button", "", text);
    button.type = "button";
    button.setAttribute("aria-pressed", String(isOn));
    button.addEventListener("click", () => {
      act();
      showFilters();
      filter();
    });
    list.append(button);
  };
  for (const [kind, number] of counts) {
    add(`${kind} ${number}`, kinds.has(kind), () => {
      if (!kinds.delete(kind)) kinds.add(kind);
    });
  }
  const failed = steps.filter(({ isError }) => isError).length;
  if (failed > 0) {
    add(`failed ${failed}`, isErrorsOnly, () => {
      isErrorsOnly = !isErrorsOnly;
    });
  }
}

/** Gives the focus to the next step, or the one before, that is accepted. */
function move(by: 1 | -1, accept: (row: Element) => boolean): void {
  const all = [...document.querySelectorAll("summary")].filter((one) =>
    one.closest("[hidden]") === null
  );
  const here = document.activeElement?.closest(".step")
    ?.querySelector("summary");
  const from = here ? all.indexOf(here) : -1;
  for (let to = from + by; to >= 0; to += by) {
    const summary = all[to];
    if (summary === undefined) return;
    const row = summary.closest(".step");
    if (row === null || !accept(row)) continue;
    summary.focus();
    summary.scrollIntoView({ block: "nearest" });
    return;
  }
}

/** Goes to the step that the address names. */
function follow(): void {
  const row = rows.get(Number(/^#s(\d+)$/.exec(location.hash)?.[1]));
  if (row === undefined) return;
  for (let one: HTMLElement | null = row.node; one; one = one.parentElement) {
    one.hidden = false;
  }
  row.open();
  row.summary.scrollIntoView({ block: "start" });
  row.summary.focus({ preventScroll: true });
}

function search(text: string): void {
  words = text.toLowerCase();
  filter();
}

const KEYS: Readonly<Record<string, () => void>> = {
  "/": () => input.focus(),
  j: () => move(1, () => true),
  k: () => move(-1, () => true),
  e: () => move(1, (row) => row.classList.contains("error")),
};

input.addEventListener("input", () => search(input.value));
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target !== input) {
    const act = KEYS[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act();
  } else if (event.key === "Escape") {
    input.value = "";
    search("");
    input.blur();
  }
});
switchTheme(document.querySelector("#theme"));
addEventListener("hashchange", follow);

function update(news: StoryData): void {
  turns = news.turns;
  showHead(news);
  for (const step of news.steps) showStep(step);
  showFilters();
  filter();
}

function listen(): void {
  const source = new EventSource("events");
  source.addEventListener("message", ({ data }) => update(JSON.parse(data)));
  source.addEventListener("anew", () => location.reload());
  source.addEventListener("error", () => {
    find("#warnings").replaceChildren(
      warning("Nobody answers any more: this is what came so far"),
    );
  });
}

const { dataset } = document.documentElement;
const story = JSON.parse(find("#data").textContent ?? "") as StoryData;
turns = story.turns;
showHead(story);
more(0);

function more(from: number): void {
  const next = from + BATCH;
  for (const step of story.steps.slice(from, next)) showStep(step);
  if (next < story.steps.length) {
    setTimeout(more, 0, next);
    return;
  }
  showFilters();
  filter();
  follow();
  dataset["ready"] = "yes";
  if (dataset["live"] !== undefined) listen();
}
