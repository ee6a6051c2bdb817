import type { Host } from "../ports/host.ts";
import type { Options } from "./types_options.ts";

/** Options by which the CLI finds the session, and how to remove what was made for it. */
export interface Resumed {
  readonly options: Options;
  readonly remove: () => Promise<void>;
}

/** What has to be done before the CLI starts; `undefined` = nothing. */
export function resumePlan(
  options: Options,
): ((host: Host) => Promise<Resumed | undefined>) | undefined {
  if (options.sessionStore === undefined) return undefined;
  return undefined;
}
