/** A page of a list. */
export interface Page {
  /** Maximum number; all unless above 0. */
  readonly limit?: number | undefined;
  /** Number to skip; 0. */
  readonly offset?: number | undefined;
}

/** A page, with the numbers that are no counts taken as the official SDK takes them. */
export function pageOf<T>(
  all: readonly T[],
  { limit = 0, offset = 0 }: Page,
): readonly T[] {
  if (limit > 0) return all.slice(offset, offset + limit);
  return offset > 0 ? all.slice(offset) : all;
}

/** How many of a list a page needs. */
export function neededFor({ limit = 0, offset = 0 }: Page): number {
  return limit > 0 && offset >= 0 ? Math.ceil(offset + limit) : Infinity;
}

/** The same page in counts: the official SDK counts files one by one. */
export function countedPage({ limit = 0, offset = 0 }: Page): Page {
  return {
    limit: Math.ceil(limit),
    offset: Math.max(Math.ceil(offset) || 0, 0),
  };
}
