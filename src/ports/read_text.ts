/** Why a file cannot be shown to a person. */
export interface Unread {
  readonly why: string;
}

/** Gives the text of a file: `undefined` for a missing file, the reason for one that cannot be shown, as one that is no UTF-8, unless it is read `leniently`. */
export type ReadText = (
  path: string,
  how?: "leniently",
) => Promise<string | undefined | Unread>;
