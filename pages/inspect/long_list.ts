import { find, make } from "./elements.ts";

/** Items that are rendered at once, when they come near the screen. */
const CHUNK = 100;
/** Height of an item until it is rendered: most are a line. */
const ITEM_REM = 1.7;

/** Items that lie together in the page. */
interface Chunk {
  readonly node: HTMLElement;
  ids: readonly string[];
  isFilled: boolean;
}

/** A list of any length: what is far from the screen is a height, and nothing else. */
export class LongList {
  readonly #main: HTMLElement = find("main");
  readonly #nodeOf: (id: string) => HTMLElement;
  readonly #chunks: Chunk[] = [];
  #places = new Map<string, number>();

  /** Takes what gives an item its node, the same one each time. */
  constructor(nodeOf: (id: string) => HTMLElement) {
    this.#nodeOf = nodeOf;
    // Both come once for each picture that is drawn.
    addEventListener("scroll", this.#settle, { passive: true });
    addEventListener("resize", this.#settle);
    addEventListener("beforeprint", () => this.#chunks.forEach(this.#fill));
  }

  /** Its items, in order. */
  get ids(): readonly string[] {
    return this.#chunks.flatMap(({ ids }) => ids);
  }

  /** Shows these; what stays where it was is not touched. */
  show(ids: readonly string[]): void {
    this.#places = new Map(ids.map((id, place) => [id, place]));
    const count = Math.ceil(ids.length / CHUNK);
    for (const { node } of this.#chunks.splice(count)) node.remove();
    for (let at = 0; at < count; at++) {
      const here = ids.slice(at * CHUNK, (at + 1) * CHUNK);
      const chunk = this.#chunks[at] ?? this.#append();
      const isSame = chunk.ids.length === here.length &&
        here.every((id, place) => id === chunk.ids[place]);
      if (isSame) continue;
      chunk.ids = here;
      if (chunk.isFilled && isNear(chunk)) this.#fill(chunk);
      else empty(chunk);
    }
    this.#settle();
  }

  /** Makes an item, wherever it is; false where it is not in the list. */
  reveal(id: string): boolean {
    const place = this.#places.get(id);
    if (place === undefined) return false;
    const at = Math.floor(place / CHUNK);
    // With what stands around it, so that it stays where it comes to be.
    this.#chunks.slice(Math.max(at - 1, 0), at + 2).forEach(this.#fill);
    return true;
  }

  #append(): Chunk {
    const chunk = { node: make("div", "chunk"), ids: [], isFilled: false };
    this.#main.append(chunk.node);
    this.#chunks.push(chunk);
    return chunk;
  }

  /** Makes what is near the screen, until all of that is there: it may be lower than it was taken for. */
  readonly #settle = (): void => {
    for (;;) {
      const near = this.#chunks.filter((one) => !one.isFilled && isNear(one));
      if (near.length === 0) return;
      near.forEach(this.#fill);
    }
  };

  readonly #fill = (chunk: Chunk): void => {
    const { ids, node } = chunk;
    if (!chunk.isFilled) node.style.height = "";
    chunk.isFilled = true;
    // Existing items are not moved: one may have the focus.
    let next = node.firstElementChild;
    for (const id of ids) {
      const item = this.#nodeOf(id);
      if (item === next) next = next.nextElementSibling;
      else node.insertBefore(item, next);
    }
    while (next !== null) {
      const after = next.nextElementSibling;
      next.remove();
      next = after;
    }
  };
}

function empty(chunk: Chunk): void {
  chunk.isFilled = false;
  chunk.node.replaceChildren();
  chunk.node.style.height = `${chunk.ids.length * ITEM_REM}rem`;
}

/** On the screen, or not farther away than that is high. */
function isNear({ node }: Chunk): boolean {
  const { bottom, top } = node.getBoundingClientRect();
  return bottom >= -innerHeight && top <= 2 * innerHeight;
}
