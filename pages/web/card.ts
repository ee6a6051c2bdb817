import type { Answer, Asked } from "../../src/command/web/data.ts";
import { find, make } from "../inspect/elements.ts";
import { linesIn, textIn } from "./lines.ts";
import { type Seen, watchSeen } from "./seen.ts";
import { send } from "./send.ts";

/** Pause after a change of the page in which nothing is allowed, in milliseconds: a click may be meant for what was there. */
const STEADY_MS = 500;

/** Content of a card, by the kind of its question. */
export interface Body {
  readonly nodes: readonly HTMLElement[];
  /** Name of the button that allows. */
  readonly yes: string;
  /** The answer as it is chosen; `undefined` while something is missing. */
  answer(): Partial<Answer> | undefined;
}

/** A question of the agent; it cannot be allowed before all of it was on the screen. */
export class Card {
  readonly node: HTMLElement = make("section", "card");
  readonly digest: string;
  readonly #id: string;
  readonly #body: Body;
  readonly #seen: Seen;
  readonly #yes = button("", "yes");
  readonly #no = button("No", "no");
  readonly #more = button("Show what was not seen yet");
  readonly #reason = make("input");
  readonly #failure = make("p", "failure");
  #steadyAt = 0;
  #wasSeen = false;
  #isSent = false;

  constructor(asked: Asked, body: Body) {
    this.digest = asked.digest;
    this.#id = asked.id;
    this.#body = body;
    const heading = textIn("h2", asked.title);
    heading.id = `asked-${asked.id}`;
    this.node.setAttribute("aria-labelledby", heading.id);
    this.#yes.textContent = body.yes;
    this.#reason.placeholder = "Why not, for the agent";
    this.#reason.setAttribute("aria-label", "Why not, for the agent");
    this.#failure.setAttribute("role", "alert");
    const tools = make("div", "tools");
    tools.append(this.#yes, this.#no);
    if (asked.kind === "call") tools.append(this.#reason);
    tools.append(this.#more);
    this.node.append(
      heading,
      ...asked.facts.map((fact) => textIn("p", fact)),
      ...asked.fields.map(({ isBlock, lines, name }) => {
        const field = make("div", isBlock ? "field" : "field inline");
        field.append(textIn("span", `${name}:`, "name"), linesIn(lines));
        return field;
      }),
      ...body.nodes,
      this.#failure,
      tools,
    );
    this.#yes.addEventListener("click", () => void this.#send(true));
    this.#no.addEventListener("click", () => void this.#send(false));
    this.#more.addEventListener("click", () => this.#showMore());
    this.node.addEventListener("input", this.update);
    this.steady();
    const parts = [...this.node.querySelectorAll(".part")];
    this.#seen = watchSeen(parts, this.update);
  }

  /** Allows nothing for a moment. */
  steady(): void {
    this.#steadyAt = performance.now() + STEADY_MS;
    this.#yes.disabled = true;
    setTimeout(this.update, STEADY_MS + 1);
  }

  remove(): void {
    this.#seen.leave();
    this.node.remove();
  }

  /** Decides what can be pressed. */
  readonly update = (): void => {
    const { size } = this.#seen.unseen;
    if (size === 0 && !this.#wasSeen) {
      this.#wasSeen = true;
      this.steady();
    }
    this.#more.disabled = size === 0;
    this.#no.disabled = this.#isSent;
    this.#yes.disabled = this.#isSent || size > 0 ||
      performance.now() < this.#steadyAt || this.#body.answer() === undefined;
  };

  #showMore(): void {
    const [next] = this.#seen.unseen;
    next?.scrollIntoView({ block: "start" });
  }

  async #send(isAllowed: boolean): Promise<void> {
    this.#isSent = true;
    this.update();
    const reason = this.#reason.value;
    const chosen = isAllowed ? this.#body.answer() : { reason };
    const answer = { id: this.#id, digest: this.digest, isAllowed, ...chosen };
    const failure = await send("answer", { answer });
    if (failure === undefined) return;
    this.#failure.textContent = failure;
    this.#isSent = false;
    this.update();
  }
}

function button(text: string, className = ""): HTMLButtonElement {
  const node = make("button", className, text);
  node.type = "button";
  return node;
}

/** Place of the cards. */
export function placeOfCards(): HTMLElement {
  return find("#asked");
}
