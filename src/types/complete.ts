/** Options with their defaults filled in: every key is there, and none is `undefined`. */
export type Complete<T> = {
  readonly [Key in keyof T]-?: Exclude<T[Key], undefined>;
};
