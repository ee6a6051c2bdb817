/** What the search of the site finds; short names, since there are thousands. */
export interface Found {
  readonly id: number;
  /** What stands in the list. */
  readonly title: string;
  /** Where it belongs: a page, or an entry. */
  readonly of: string;
  readonly text: string;
  readonly url: string;
}
