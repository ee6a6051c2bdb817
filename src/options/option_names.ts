import { optionChecks } from "./table.ts";

/** Names of the options of an agent, for packages that check options of their own beside them. */
export const OPTION_NAMES: readonly string[] = Object.keys(optionChecks());
