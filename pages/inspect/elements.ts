// Content of a recording becomes text of a node, never markup.

/** An element of the page, which `src/command/page.ts` writes. */
export function find<E extends Element = HTMLElement>(selector: string): E {
  const found = document.querySelector<E>(selector);
  if (found === null) throw new Error(`The page has no ${selector}`);
  return found;
}

/** A new element with a class and a text. */
export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  className = "",
  text?: string,
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
  if (className !== "") node.className = className;
  if (text !== undefined) node.textContent = text;
  return node;
}

/** A new part of a drawing. */
export function shape(
  name: keyof SVGElementTagNameMap,
  attributes: Readonly<Record<string, string | number>>,
  text?: string,
): SVGElement {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) {
    node.setAttribute(key, String(value));
  }
  if (text !== undefined) node.textContent = text;
  return node;
}

/** `320 ms`, `4.2 s`, `3 min 20 s`. */
export function time(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const whole = Math.round(ms / 1_000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `12,345`. */
export function count(n: number): string {
  return n.toLocaleString("en");
}

/** `$0.0123`. */
export function usd(amount: number): string {
  return `$${amount.toFixed(4)}`;
}
