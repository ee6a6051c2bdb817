import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoryData } from "../../src/command/story_data.ts";
import { told } from "./_program.ts";

/** A line that the CLI wrote. */
export function out(t: number, msg: object): object {
  return { t, dir: "out", msg };
}

/** A line that the host wrote. */
export function sent(t: number, msg: object): object {
  return { t, dir: "in", msg };
}

export function prompt(t: number, content: unknown): object {
  return sent(t, { type: "user", message: { role: "user", content } });
}

/** An answer of the model with one block. */
export function assistant(
  t: number,
  block: object,
  parent: string | null,
  tokens: number,
): object {
  return out(t, {
    type: "assistant",
    parent_tool_use_id: parent,
    message: {
      id: `m${t}`,
      model: "m-1",
      content: [block],
      usage: { input_tokens: tokens, output_tokens: 1 },
    },
  });
}

function asked(t: number, request_id: string, request: object): object {
  return out(t, { type: "control_request", request_id, request });
}

function answered(t: number, request_id: string, response: object): object {
  return sent(t, {
    type: "control_response",
    response: { subtype: "success", request_id, response },
  });
}

function toolResult(
  t: number,
  tool_use_id: string,
  content: unknown,
  parent: string | null,
  is_error = false,
): object {
  const block = { type: "tool_result", tool_use_id, is_error, content };
  const message = { role: "user", content: [block] };
  return out(t, { type: "user", parent_tool_use_id: parent, message });
}

export function result(t: number, fields: object): object {
  return out(t, { type: "result", subtype: "success", ...fields });
}

/** A run with a prompt, a subagent with a tool, a hook, a permission that waited, a failure and a result. */
export const LINES: readonly object[] = [
  { t: 0, dir: "meta", event: "cassette", version: 1 },
  { t: 0, dir: "meta", event: "spawn", argv: ["-p"], cwd: "/home/u", env: [] },
  prompt(1, "Delegate"),
  out(5, {
    type: "system",
    subtype: "init",
    model: "m-1",
    claude_code_version: "2.1.328",
    session_id: "s-1",
    cwd: "/home/u",
  }),
  assistant(
    10,
    tool("t1", "Agent", { description: "Do it" }),
    null,
    100,
  ),
  assistant(20, tool("t2", "Bash", { command: "ls" }), "t1", 40),
  asked(21, "r0", {
    subtype: "hook_callback",
    tool_use_id: "t2",
    input: { hook_event_name: "PreToolUse", tool_name: "Bash" },
  }),
  answered(22, "r0", {}),
  asked(30, "r1", {
    subtype: "can_use_tool",
    tool_name: "Bash",
    tool_use_id: "t2",
    input: { command: "ls" },
  }),
  answered(4030, "r1", { behavior: "deny", message: "no" }),
  toolResult(4040, "t2", "no", "t1", true),
  toolResult(4100, "t1", [{ type: "text", text: "could not" }], null),
  assistant(4200, { type: "text", text: "It was denied." }, null, 180),
  result(4210, {
    is_error: false,
    result: "It was denied.",
    duration_ms: 4209,
    num_turns: 2,
    total_cost_usd: 0.25,
    usage: {
      input_tokens: 280,
      cache_read_input_tokens: 20,
      output_tokens: 33,
    },
  }),
  prompt(5000, [{ type: "text", text: "Again" }]),
  result(5100, {
    is_error: true,
    result: "Overloaded",
    duration_ms: 100,
    num_turns: 1,
    total_cost_usd: 0.3,
    usage: { input_tokens: 1, output_tokens: 2 },
  }),
  { t: 5200, dir: "meta", event: "exit", code: 1, signal: null },
];

export function tool(id: string, name: string, input: object): object {
  return { type: "tool_use", id, name, input };
}

export function textOf(lines: readonly object[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

export async function withFolder(
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-inspect-"));
  try {
    await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The data of the page of a recording or session. */
export async function storyOf(
  lines: readonly object[] | string,
): Promise<StoryData> {
  let story: StoryData | undefined;
  await withFolder(async (folder) => {
    const file = join(folder, "run.jsonl");
    const text = typeof lines === "string" ? lines : textOf(lines);
    await writeFile(file, text);
    const { code, stderr, stdout } = await told(["inspect", file, "--json"]);
    if (code !== 0) throw new Error(stderr);
    story = JSON.parse(stdout);
  });
  return story as unknown as StoryData;
}

export const HOSTILE =
  `</script><script>document.title="BROKEN"</script><img src=x onerror="document.title='BROKEN'"><!--<svg/onload=document.title='BROKEN'>\u2028"'&`;

const KEPT: ReadonlySet<string> = new Set([
  ...["type", "subtype", "dir", "event", "id", "request_id", "tool_use_id"],
  ...["parent_tool_use_id", "role", "behavior"],
]);

/** The same run with hostile words wherever there are any. */
export function hostile(): string {
  const soil = (value: unknown, key = ""): unknown => {
    if (typeof value === "string") {
      return KEPT.has(key) ? value : HOSTILE + value;
    }
    if (Array.isArray(value)) return value.map((one) => soil(one));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, soil(one, name)]),
    );
  };
  return textOf(LINES.map((line) => soil(line) as object));
}
