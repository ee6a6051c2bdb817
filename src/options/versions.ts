/** The CLI that everything was tried with; tests and demo install it. */
export const TESTED_VERSION = "2.1.332";

/** The oldest supported CLI. */
export const MINIMUM_VERSION = "2.1.261";

/** Fix for an old CLI, for messages. */
export const UPDATE = "update it (claude update)";

/** Whether a version is older than another; one that says no numbers is not. */
export function isOlder(version: string | undefined, than: string): boolean {
  const own = numbersOf(version);
  const other = numbersOf(than);
  if (own === undefined || other === undefined) return false;
  const at = other.findIndex((least, at) => least !== own[at]);
  return at >= 0 && Number(own[at]) < Number(other[at]);
}

/** The three numbers of a version; `undefined` when it has none. */
export function numbersOf(
  version: string | undefined,
): readonly number[] | undefined {
  const parts = /^(\d+)\.(\d+)\.(\d+)/.exec(version ?? "");
  return parts === null ? undefined : parts.slice(1).map(Number);
}

/** The path of a CLI for a sentence. */
export function named(path: string | undefined): string {
  return path === undefined ? "this one" : `"${path}"`;
}
