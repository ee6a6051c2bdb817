import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type AgentOptions,
  Client,
  type JsonObject,
  type Message,
  type ResultMessage,
} from "@sluice/agent";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";

/** A client of a fake CLI. */
export interface ClientRig {
  readonly client: Client;
  readonly fake: FakeCli;
}

/** A client of a fake CLI for one test; it is closed afterwards. */
export async function withClient(
  script: FakeCliScript,
  use: (rig: ClientRig) => Promise<void>,
  options: AgentOptions = {},
): Promise<void> {
  const fake = fakeCli(script);
  const client = new Client({ cliPath: fake.cliPath, ...options });
  try {
    await use({ client, fake });
  } finally {
    await client.close();
    await fake.close();
  }
}

/** The same with a client that is connected. */
export function withConnected(
  script: FakeCliScript,
  use: (rig: ClientRig) => Promise<void>,
  options?: AgentOptions,
): Promise<void> {
  return withClient(script, async (rig) => {
    await rig.client.connect();
    await use(rig);
  }, options);
}

/** One command that is the first fake CLI when it is run for the first time, the second from then on. */
export async function withOneAfterTheOther(
  [first, second]: readonly [FakeCli, FakeCli],
  use: (cliPath: readonly string[]) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "two-clis-"));
  const [one, two] = [first, second].map(({ cliPath }) =>
    cliPath.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ")
  );
  const script =
    `if mkdir "$0/used" 2>/dev/null; then exec ${one} "$@"; fi; exec ${two} "$@"`;
  try {
    await use(["/bin/sh", "-c", script, folder]);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await first.close();
    await second.close();
  }
}

/** The texts of the user lines that a fake CLI received, in order. */
export function promptsOf(received: readonly JsonObject[]): readonly string[] {
  return received.filter(({ type }) => type === "user").map(({ message }) =>
    String((message as JsonObject).content)
  );
}

/** The control requests that a fake CLI received, in order, without `initialize`. */
export function requestsOf(
  received: readonly JsonObject[],
): readonly JsonObject[] {
  return received
    .filter(({ type }) => type === "control_request")
    .map(({ request }) => request as JsonObject)
    .filter(({ subtype }) => subtype !== "initialize");
}

/** The text of a result. */
export function resultText(
  result: ResultMessage | undefined,
): string | undefined {
  return result?.subtype === "success" ? result.result : undefined;
}

/** Messages in one word each: the text of answers and results, else the kind. */
export function shorts(messages: readonly Message[]): readonly string[] {
  return messages.map((message) => {
    if (message.type === "result") return `=${resultText(message)}`;
    if (message.type === "assistant") {
      const [block] = message.message.content;
      return block?.type === "text" ? block.text : block?.type ?? "";
    }
    return message.type === "command_lifecycle" ? message.state : message.type;
  });
}
