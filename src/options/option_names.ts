import { optionChecks } from "./table.ts";

/** Names of the options of an agent, for packages that check their own options together with them. */
export const OPTION_NAMES: readonly string[] = Object.keys(optionChecks());
