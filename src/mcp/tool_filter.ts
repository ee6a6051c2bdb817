import { textOfError } from "../errors/text.ts";
import type { CatalogTool, HubOptions } from "../types/mcp.ts";
import { disregard } from "./jsonrpc.ts";

/** Which tools of a hub are shown at all. */
export function toolFilter(
  { allow, deny, filter }: Pick<HubOptions, "allow" | "deny" | "filter">,
  warn: (text: string) => void,
): (tool: CatalogTool) => boolean {
  const allowed = allow && new Set(allow);
  const denied = new Set(deny);
  return (tool) => {
    const names = namesOf(tool);
    if (names.some((name) => denied.has(name))) return false;
    if (allowed && !names.some((name) => allowed.has(name))) return false;
    try {
      const isShown: unknown = filter?.(tool) ?? true;
      if (typeof isShown === "boolean") return isShown;
      disregard(isShown);
      warn(`Filter gave neither true nor false for MCP tool "${tool.name}"`);
      return false;
    } catch (error) {
      // A filter that fails lets nothing through.
      warn(`Filter failed for MCP tool "${tool.name}": ${textOfError(error)}`);
      return false;
    }
  };
}

/** What a tool may be called in a list. */
function namesOf({ name, server, tool }: CatalogTool): readonly string[] {
  return [name, `${server}__${tool}`, `${server}__*`];
}
