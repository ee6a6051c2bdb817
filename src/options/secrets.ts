import type { SecretSources } from "../errors/scrubber.ts";
import type { Launch } from "../ports/transport.ts";
import type { Settings } from "./resolve.ts";

/** All that a conversation was given and that may hold secrets. */
export function secretsOf(
  { options }: Settings,
  { env, args }: Launch,
): SecretSources {
  const { cliPath, mcpServers, settings, sandbox, agents } = options;
  const leading = Array.isArray(cliPath) ? cliPath : [];
  return {
    env,
    args: [...leading, ...args],
    documents: [{ env: options.env, mcpServers, settings, sandbox, agents }],
  };
}
