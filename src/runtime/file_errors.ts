/** Codes of an error that says that nothing is at a path. */
export const NOTHING_THERE: ReadonlySet<unknown> = new Set(
  ["ENOENT", "ENOTDIR"],
);

/** Codes by which the reading of a link says that there is none; Windows has one of its own. */
export const NO_LINK: ReadonlySet<unknown> = new Set(
  ["EINVAL", "UNKNOWN", "ENOENT", "ENOTDIR"],
);

/** Codes of an error that says that this user may not. */
export const MAY_NOT: ReadonlySet<unknown> = new Set(["EACCES", "EPERM"]);

/** The promised value; `undefined` when it fails for one of the given reasons. */
export async function orUndefined<T>(
  work: Promise<T>,
  codes: ReadonlySet<unknown>,
): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (codes.has((error as { readonly code?: unknown }).code)) return;
    throw error;
  }
}
