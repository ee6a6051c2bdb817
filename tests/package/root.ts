// A stranger whose module resolution knows nothing of "exports": compiled against the packed package.
import { type AgentOptions, query } from "@sluice/agent";

/** The answer to a prompt. */
export async function answer(options: AgentOptions): Promise<string> {
  return await query("Hello", options).text();
}
