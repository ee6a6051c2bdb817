import { readSource } from "../_examples.ts";

/** Every option by its dotted name, as docs/options.md lists them. */
export const OPTION_KEYS: readonly string[] = [
  ...readSource("docs/options.md").matchAll(/^\| `([\w.]+)`/gm),
].map(([, key = ""]) => key).filter((key) => key !== "bare");
