import { deno } from "./host.ts";

/** A permission of Deno that this program has not, or not for everything. */
export interface MissingPermission {
  /** The flag that gives it. */
  readonly flag: string;
  readonly purpose: string;
  /** Whether some of it was given. */
  readonly isPartial: boolean;
}

const NEEDED = [
  ["run", "starting the CLI"],
  ["env", "finding the CLI and handing it its environment"],
  ["read", "finding the CLI and its working directory"],
  ["write", "recordings, sessions of this package"],
  ["net", "MCP servers that are reached by HTTP"],
] as const;

/** Permissions of Deno that this package can use and lacks; none on Bun and Node. */
export function missingPermissions(): readonly MissingPermission[] {
  if (deno === undefined) return [];
  const { permissions } = deno;
  return NEEDED.flatMap(([name, purpose]) => {
    const { partial, state } = permissions.querySync({ name });
    if (state === "granted" && partial !== true) return [];
    return [{ flag: `--allow-${name}`, purpose, isPartial: partial === true }];
  });
}
