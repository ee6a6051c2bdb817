import type { Asked } from "../../src/command/web/data.ts";
import { callBody } from "./call_body.ts";
import { Card, placeOfCards } from "./card.ts";
import { questionsBody } from "./questions_body.ts";

const cards = new Map<string, Card>();

/** Shows what is asked; a card stays as it is while it shows the same. */
export function showAsked(asked: readonly Asked[]): void {
  const ids = new Set(asked.map(({ id }) => id));
  for (const [id, card] of cards) {
    if (ids.has(id)) continue;
    card.remove();
    cards.delete(id);
  }
  const place = placeOfCards();
  for (const one of asked) {
    const known = cards.get(one.id);
    if (known?.digest === one.digest) continue;
    const body = one.kind === "call" ? callBody(one) : questionsBody(one);
    const card = new Card(one, body);
    if (known === undefined) place.append(card.node);
    else {
      known.node.after(card.node);
      known.remove();
    }
    cards.set(one.id, card);
  }
  // Another one may have come to be where the pointer is.
  for (const card of cards.values()) card.steady();
}
