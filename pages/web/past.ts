import type { ListedSession } from "../../src/command/web/data.ts";
import { find, make } from "../inspect/elements.ts";
import { SESSION } from "./send.ts";

/** Lets a button show the sessions of the folder. */
export function showsPast(button: HTMLElement): void {
  const list = find("#sessions");
  button.addEventListener("click", () => {
    list.hidden = !list.hidden;
    button.setAttribute("aria-expanded", String(!list.hidden));
    if (!list.hidden) void fill();
  });
}

async function fill(): Promise<void> {
  const list = find("#sessions ul");
  try {
    const sessions: readonly ListedSession[] = await (await fetch("sessions"))
      .json();
    list.replaceChildren(...sessions.map(item));
    if (sessions.length === 0) {
      list.replaceChildren(make("li", "", "This folder has no sessions yet"));
    }
  } catch {
    list.replaceChildren(make("li", "", "The list cannot be read"));
  }
}

function item({ id, title, updated }: ListedSession): HTMLElement {
  const node = make("li");
  const link = make("a", "", title || id);
  link.href = `?session=${encodeURIComponent(id)}`;
  if (id === SESSION) link.setAttribute("aria-current", "page");
  const when = make("span", "label", new Date(updated).toLocaleString());
  node.append(link, " ", when);
  return node;
}
