import { find } from "../inspect/elements.ts";

/** Steps in which the browser reports what comes to the screen: small ones, for a part higher than that can fill it between two. */
const THRESHOLDS = Array.from({ length: 101 }, (_, at) => at / 100);
/** A part counts as seen when nearly all of it is on the screen, or fills that. */
const NEARLY_ALL = 0.95;
const FILLED = 0.9;

/** Parts of a text, and which of them were on the screen. */
export interface Seen {
  /** Parts that were not on the screen yet, in order. */
  readonly unseen: ReadonlySet<Element>;
  /** Ends the watching. */
  leave(): void;
}

/** Watches which parts come to the screen, above the form at its foot. */
export function watchSeen(
  parts: readonly Element[],
  onChange: () => void,
): Seen {
  const unseen = new Set(parts);
  const { height } = find("#send").getBoundingClientRect();
  const observer = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!isSeen(entry)) continue;
      unseen.delete(entry.target);
      observer.unobserve(entry.target);
    }
    onChange();
  }, {
    threshold: THRESHOLDS,
    rootMargin: `0px 0px -${Math.ceil(height)}px 0px`,
  });
  for (const part of parts) observer.observe(part);
  return { unseen, leave: () => observer.disconnect() };
}

function isSeen(
  { intersectionRatio, intersectionRect, isIntersecting, rootBounds }:
    IntersectionObserverEntry,
): boolean {
  if (!isIntersecting) return false;
  const room = rootBounds?.height ?? Infinity;
  return intersectionRatio >= NEARLY_ALL ||
    intersectionRect.height >= FILLED * room;
}
