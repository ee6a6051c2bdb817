// A strict stranger: compiled against the packed package without skipLibCheck, then run.
import {
  type AgentOptions,
  type Conversation,
  isAgentError,
  type Message,
  query,
} from "@sluice/agent";
import * as mcp from "@sluice/agent/mcp";
import * as session from "@sluice/agent/session";
import { fakeCli } from "@sluice/agent/testing";
import * as tools from "@sluice/agent/tools";
import * as stages from "@sluice/agent/unstable-streams";

/** The kinds of the messages, in order. */
async function kinds(messages: AsyncIterable<Message>): Promise<string[]> {
  const seen: string[] = [];
  for await (const message of messages) seen.push(message.type);
  return seen;
}

const cli = fakeCli("Hello, stranger!");
const asked: string[] = [];
const options: AgentOptions = {
  cliPath: cli.cliPath,
  permissions: {
    canUseTool: (name) => {
      asked.push(name);
      return { behavior: "deny", message: "Not here" };
    },
  },
};

const conversation: Conversation = query("Hello", options);
const seen = await kinds(conversation);
await conversation.close();
if (seen.at(-1) !== "result") throw new Error(`Last message: ${seen.at(-1)}`);

const text: string = await query("Hello", { cliPath: cli.cliPath }).text();
if (text !== "Hello, stranger!") throw new Error(`Answer: ${text}`);

try {
  query("Hello", { maxTurns: -1 });
  throw new Error("A bad option was accepted");
} catch (error) {
  if (!isAgentError(error) || error.code !== "config") throw error;
}
await cli.close();

for (const [entry, names] of Object.entries({ mcp, session, tools, stages })) {
  if (Object.keys(names).length === 0) throw new Error(`Empty entry: ${entry}`);
}
