/** One thing that takes random input. */
export interface FuzzTarget {
  /** Its name in reports. */
  readonly name: string;
  /** Tries one input made of random numbers; throws when something is wrong with what became of it. */
  readonly tryOne: (random: () => number) => void;
}
