/** Counts the tokens of a text; any tokenizer can be put in. */
export interface Tokenizer {
  /** How many tokens a text has: a number from 0. */
  count(text: string): number;
}
