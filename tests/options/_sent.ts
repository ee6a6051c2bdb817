import { type AgentOptions, type JsonObject, query } from "@sluice/agent";
import { memoryTransport } from "@sluice/agent/testing";

/** All that a CLI gets of options. */
export interface Sent {
  /** The arguments behind those of every conversation. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The fields of `initialize` but for callbacks and servers of this program. */
  readonly fields: JsonObject;
}

/** The arguments of every conversation. */
export const ALWAYS: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** Has a conversation begin with options. */
export async function sentFor(options: AgentOptions): Promise<Sent> {
  const { transport, peer } = memoryTransport();
  const conversation = query("Hi", { ...options, transport });
  conversation.ready.catch(() => {});
  const line = await peer.line(({ type }) => type === "control_request");
  const { args = [], env = {} } = peer.launch ?? {};
  await conversation.close();
  const { subtype: _, hooks: __, sdkMcpServers: ___, ...fields } = line
    .request as JsonObject;
  return { args: args.slice(ALWAYS.length), env, fields };
}
