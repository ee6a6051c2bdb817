/** The official SDK, beside which ours is tried. */
import { exists, npm, ROOT } from "../project.ts";

/** The release that is meant. */
export const OFFICIAL = "@anthropic-ai/claude-agent-sdk@0.3.332";

const FOLDER = new URL(".official/", ROOT);

/** Address of its module; installs it into a folder that git does not see, unless it is there. */
export async function officialSdk(): Promise<string> {
  const path = "node_modules/@anthropic-ai/claude-agent-sdk/sdk.mjs";
  if (!await exists(`.official/${path}`)) {
    await Deno.mkdir(FOLDER, { recursive: true });
    const flags = ["--omit=optional", "--no-audit", "--no-fund", "--silent"];
    await npm(["install", "--prefix", FOLDER.pathname, ...flags, OFFICIAL]);
  }
  return new URL(path, FOLDER).href;
}
