/** Lists of models, and what the official package denies of them. */
export interface DeniedModels {
  /** Names that each list is tried on. */
  readonly models: readonly string[];
  /** Lists of one entry. */
  readonly entries: readonly string[];
  /** Models and lists that are no such thing. */
  readonly odd: readonly (readonly [models: unknown, denied: unknown])[];
  /** Denied models, a digit for each: first of `entries`, then of `odd`. */
  readonly answers: readonly {
    readonly denied: string;
    readonly warnings?: readonly string[];
  }[];
}

/** Arguments of the function, in the order of the answers. */
export function casesOf(
  { models, entries, odd }: DeniedModels,
): readonly (readonly [models: unknown, denied: unknown])[] {
  return [...entries.map((entry) => [models, [entry]] as const), ...odd];
}
