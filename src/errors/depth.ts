/** Deeper than any message, and far from the end of the stack. */
export const MOST_LEVELS = 200;

/** Whether something is nested deeper than that, or in itself: to write it as JSON takes Bun seconds, and the others have no stack for it. */
export function isDeep(value: unknown, levels: number = MOST_LEVELS): boolean {
  if (typeof value !== "object" || value === null) return false;
  // Bytes have nothing below them.
  if (ArrayBuffer.isView(value)) return false;
  return levels === 0 ||
    Object.values(value).some((part) => isDeep(part, levels - 1));
}
