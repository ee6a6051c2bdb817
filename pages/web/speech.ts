import type { Step } from "../../src/command/story_data.ts";
import { make } from "../inspect/elements.ts";

/** Text of a person or of the model, open from the start. */
export class Speech {
  readonly node: HTMLElement;
  readonly #text: HTMLElement = make("div", "text");

  constructor(step: Step) {
    this.node = make("div", `step speech ${step.kind}`);
    this.node.id = `s${step.id}`;
    const who = step.kind === "prompt" ? "You" : "Agent";
    this.node.append(make("p", "label", who), this.#text);
    this.#text.dir = "auto";
    this.show(step);
  }

  show({ text, title }: Step): void {
    this.#text.textContent = text || title;
  }
}
