import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type AgentOptions,
  type Conversation,
  type Prompt,
  query,
} from "@sluice/agent";
import type { ModelAnswer } from "@sluice/agent/testing";
import { isGoneWithin } from "../_children.ts";
import type { RealCli } from "../_real_cli.ts";
import { recordedMessages } from "../parse/_transcripts.ts";
import { ALLOW, appears } from "./_real.ts";

/** A message in one word: `assistant`, `system/init`, `stream_event/message_stop`. */
export function kindOf(message: object): string {
  const { type, subtype, event } = message as {
    readonly type: string;
    readonly subtype?: string;
    readonly event?: { readonly type: string };
  };
  const detail = subtype ?? event?.type;
  return detail === undefined ? type : `${type}/${detail}`;
}

/** The kinds that a recorded run has for the user, in order. */
export async function recordedKinds(take: string): Promise<readonly string[]> {
  const messages = (await recordedMessages()).get(`${take}.ndjson`);
  if (messages === undefined) throw new Error(`No recorded run: ${take}`);
  return messages.filter((one) => one["sdk_host_only"] !== true).map(kindOf);
}

/** Kinds without how often each was repeated: that is a matter of time. */
export function squeezed(kinds: readonly string[]): readonly string[] {
  return kinds.filter((kind, at) => kind !== kinds[at - 1]);
}

/** A conversation, and the exit codes of its processes. */
export interface Watched {
  readonly conversation: Conversation;
  readonly exits: readonly (number | null)[];
}

/** Starts a conversation and notes how its process ends; `null` = by a signal that it did not handle. */
export function watchedQuery(prompt: Prompt, options: AgentOptions): Watched {
  const exits: (number | null)[] = [];
  const conversation = query(prompt, {
    ...options,
    metrics: { transport: { processExit: (code) => exits.push(code) } },
  });
  return { conversation, exits };
}

/** Where the tool of {@link stayingTool} notes its process id. */
const PID_FILE = "tool.pid";

/** The model calls Bash with a command that notes its process id and stays, with a child of its own. */
export function stayingTool(
  { ignoresSignals = false, ...input }: {
    readonly ignoresSignals?: boolean;
    readonly run_in_background?: boolean;
  } = {},
): ModelAnswer {
  const script = [
    ...(ignoresSignals ? ['trap "" TERM INT HUP'] : []),
    "sleep 300 & echo $$ > tool.new",
    `mv tool.new ${PID_FILE}`,
    "wait; sleep 300",
  ];
  return {
    tool: "Bash",
    input: {
      command: `sh -c '${script.join("; ")}'`,
      description: "stay",
      ...input,
    },
  };
}

/** Waits until the tool of {@link stayingTool} runs; its process id. */
export async function stayingPid(cwd: string): Promise<number> {
  const path = join(cwd, PID_FILE);
  await appears(path);
  return Number(readFileSync(path, "utf8"));
}

/** Ends a conversation in its own way while the tool of {@link stayingTool} runs, and checks that CLI and tool are gone; its exit codes. */
export async function endWhileToolRuns(
  { options, cwd }: RealCli,
  more: AgentOptions,
  end: (conversation: Conversation) => Promise<void>,
): Promise<readonly (number | null)[]> {
  const { conversation, exits } = watchedQuery("Stay", {
    ...options,
    ...ALLOW,
    ...more,
  });
  const tool = await stayingPid(cwd);
  const cli = conversation.pid ?? 0;
  const below = processesBelow(cli);
  assert.ok(below.includes(tool));
  await end(conversation);
  await conversation.close();
  assert.equal(conversation.health().state, "gone");
  // Generous: on a quiet machine SIGTERM ends the CLI in 1.5 s at most, its tools with it.
  for (const pid of [cli, ...below]) {
    assert.ok(await isGoneWithin(30_000, pid), `process ${pid} is gone`);
  }
  return exits;
}

/** Waits for a condition that has no event. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5);
}

/** Ids of all processes below one. */
export function processesBelow(pid: number): readonly number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const parent = /^PPid:\t(\d+)$/m.exec(statusOf(name))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const below = (above: number): readonly number[] =>
    [...parents].filter(([, parent]) => parent === above)
      .flatMap(([child]) => [child, ...below(child)]);
  return below(pid);
}

function statusOf(name: string): string {
  try {
    return /^\d+$/.test(name)
      ? readFileSync(`/proc/${name}/status`, "utf8")
      : "";
  } catch {
    return "";
  }
}
