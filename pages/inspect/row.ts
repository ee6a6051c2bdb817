import type { Step } from "../../src/command/story_data.ts";
import { make, time } from "./elements.ts";

/** A step as it stands in the page; what it says is there when it is opened. */
export class Row {
  readonly node: HTMLElement = make("div", "step");
  readonly summary: HTMLElement = make("summary");
  readonly #details: HTMLDetailsElement = make("details");
  #step: Step;

  constructor(step: Step, depth: number) {
    this.#step = step;
    // The browser gives the focus to what a link leads to, if that takes it.
    this.summary.id = `s${step.id}`;
    this.#details.append(this.summary);
    this.#details.addEventListener("toggle", () => {
      if (this.#details.open) this.#fill();
    });
    this.node.append(this.#details);
    this.show(step, depth);
  }

  /** Shows the current state of the step, at its depth below other calls. */
  show(step: Step, depth: number): void {
    this.#step = step;
    const { isError, kind, ms, t, title } = step;
    const waited = kind === "permission" ? "waited " : "";
    this.summary.replaceChildren(
      make("span", "time", t === undefined ? "" : time(t)),
      make("span", "kind", kind),
      make("span", "title", title || "(empty)"),
      make("span", "ms", ms === undefined ? "" : waited + time(ms)),
    );
    this.node.style.setProperty("--depth", String(depth));
    this.node.className = `step ${kind}${isError ? " error" : ""}`;
    if (this.#details.open) this.#fill();
  }

  /** Opens it, and goes there. */
  goTo(): void {
    this.#details.open = true;
    this.#fill();
    this.summary.scrollIntoView({ block: "start" });
    this.summary.focus({ preventScroll: true });
  }

  #fill(): void {
    const { answer, change, id, kind, text } = this.#step;
    // The summary stays where it is: it may have the focus.
    while (this.summary.nextSibling !== null) this.summary.nextSibling.remove();
    if (text !== undefined) this.#details.append(block(text, kind));
    if (change !== undefined) this.#details.append(changed(change));
    if (answer !== undefined) {
      const name = kind === "tool" ? "Result" : "Answer";
      this.#details.append(make("p", "label", name), block(answer, name));
    }
    const link = make("a", "label", "Link to this step");
    link.href = `#s${id}`;
    this.#details.append(link);
  }
}

/** A long one scrolls, by keys as well. */
function block(text: string, name: string): HTMLElement {
  const node = make("pre", "", text);
  node.tabIndex = 0;
  node.setAttribute("role", "group");
  node.setAttribute("aria-label", name);
  return node;
}

/** Lines that begin with a sign: kept, removed or added. */
function changed(text: string): HTMLElement {
  const node = block("", "Change");
  node.append(...text.split("\n").map(signed));
  return node;
}

/** A line of a comparison. */
export function signed(line: string): HTMLElement {
  const kinds: Readonly<Record<string, string>> = {
    "+": "added",
    "-": "removed",
  };
  return make("div", `line ${kinds[line.charAt(0)] ?? ""}`, line);
}
