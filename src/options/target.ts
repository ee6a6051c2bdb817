import { knows } from "./features.ts";
import type { Target } from "./option.ts";
import type { Settings } from "./settings.ts";

/** The CLI that options are sent to; a current one unless its version is given. */
export function targetOf(
  settings: Settings,
  { platform = "", version, files = {} }: {
    readonly platform?: string | undefined;
    readonly version?: string | undefined;
    readonly files?: Target["files"] | undefined;
  } = {},
): Target {
  return {
    settings,
    platform,
    version,
    files,
    knows: (feature) => knows(version, feature),
  };
}
