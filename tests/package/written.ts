// Programs of users: compiled against the packed package by every supported TypeScript, never run.
import {
  type AgentOptions,
  type CanUseTool,
  Client,
  type CliSettings,
  type HookCallback,
  type Infer,
  isToolUse,
  type Message,
  query,
  textOf,
  toolUsesOf,
} from "@sluice/agent";
import { createMcpServer, McpHub, tool } from "@sluice/agent/mcp";
import { Session, SessionStore } from "@sluice/agent/session";
import { fakeCli, scriptedModel } from "@sluice/agent/testing";
import { allowTools } from "@sluice/agent/tools";

/** A custom type: no index signature, keys that may be undefined. */
interface Settings {
  readonly model?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface Point {
  x: number;
  y?: number | undefined;
}

const planSchema = {
  type: "object",
  properties: {
    title: { type: "string" },
    steps: { type: "array", items: { type: "string" } },
    effort: { enum: ["low", "high"] },
  },
  required: ["title", "steps"],
} as const;

type Plan = Infer<typeof planSchema>;

/** Options come from elsewhere, and some are not set. */
export function optionsOf(
  { model, maxTurns, signal }: Settings,
  cwd?: string,
): AgentOptions {
  return {
    model,
    maxTurns,
    signal,
    cwd,
    allowedTools: allowTools("Read", "Grep"),
    timeouts: { connectMs: undefined },
    settings: { permissions: { deny: ["Bash(rm:*)"] }, notYetKnown: { a: 1 } },
    sandbox: { enabled: true, network: { allowedDomains: ["example.com"] } },
    mcpServers: {
      files: { command: "npx", args: ["-y", "files"], env: undefined },
      web: { type: "http", url: "https://example.com/mcp" },
    },
  };
}

/** Reads messages by their kind. */
export async function read(signal?: AbortSignal): Promise<string[]> {
  const lines: string[] = [];
  for await (const message of query("Hi", { signal })) {
    switch (message.type) {
      case "assistant":
        for (const call of toolUsesOf(message)) {
          if (isToolUse(call, "Bash")) lines.push(call.input.command);
          else if (isToolUse(call, "Edit")) lines.push(call.input.new_string);
          else lines.push(call.name);
        }
        lines.push(textOf(message));
        break;
      case "result":
        if (message.subtype === "success") lines.push(message.result);
        else lines.push(message.errors.join());
        break;
      case "system":
        if (message.subtype === "init") lines.push(message.tools.join());
        break;
      default:
        lines.push(message.type);
    }
  }
  return lines;
}

/** The structured output is of the schema's type, written here or elsewhere. */
export async function plan(prompt: string): Promise<Plan> {
  const one: Plan = await query(prompt, { outputSchema: planSchema }).output();
  const here = await query(prompt, {
    outputSchema: {
      type: "object",
      properties: { title: { type: "string" } },
      required: ["title"],
    },
    model: "opus",
  }).output();
  await using client = new Client({ outputSchema: planSchema });
  await client.connect();
  const { title, steps, effort } = await client.output(prompt, {
    signal: AbortSignal.timeout(1_000),
  });
  const again: "low" | "high" | undefined = effort;
  const text: string = await client.text(here.title.trim());
  return {
    title: title + text,
    steps: [...one.steps, ...steps],
    ...again && { effort: again },
  };
}

/** A client of one's own. */
export class Reviewer extends Client<Plan> {
  constructor(readonly language: string, options?: AgentOptions) {
    super({ ...options, outputSchema: planSchema });
  }

  async review(file: string): Promise<string[]> {
    const { steps } = await this.output(`Review ${file} in ${this.language}`);
    return steps;
  }

  isOther(value: unknown): boolean {
    return value instanceof Client && value.state === "closed";
  }
}

/** Hooks may say nothing; an interface is JSON. */
export function guards(point: Point, reason: string | undefined): AgentOptions {
  const guard: HookCallback<"PreToolUse"> = (input) => {
    if (!isToolUse(input, "Bash")) return;
    if (!input.tool_input.command.includes("rm ")) return {};
    return {
      reason,
      hookSpecificOutput: {
        hookEventName: "PreToolUse",
        permissionDecision: "deny",
        permissionDecisionReason: reason,
      },
    };
  };
  const canUseTool: CanUseTool = (name, _input, { suggestions }) =>
    name === "Write" ? { behavior: "deny", message: reason ?? "No" } : {
      behavior: "allow",
      updatedInput: point,
      updatedPermissions: suggestions,
    };
  return {
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [guard], timeoutMs: undefined }],
      SessionStart: [{ hooks: [async () => {}] }],
      Stop: [{ hooks: [(input) => void input.stop_hook_active] }],
    },
    permissions: { canUseTool, mode: "acceptEdits" },
  };
}

/** Tools take what their schema says and give what they like. */
export async function tools(point: Point): Promise<unknown> {
  const move = tool({
    name: "move",
    description: "Moves a point",
    title: undefined,
    input: {
      type: "object",
      properties: { by: { type: "number" }, axis: { enum: ["x", "y"] } },
      required: ["by"],
    },
    run: ({ by, axis = "x" }, { signal }): Point => {
      signal.throwIfAborted();
      return { ...point, [axis]: by.toFixed() };
    },
  });
  const bare = tool({
    name: "count",
    description: "Counts",
    input: { type: "object" },
    run: () => Promise.resolve([1, 2, 3]),
  });
  const server = createMcpServer({ name: "here", tools: [move, bare] });
  await using hub = new McpHub(
    { here: { type: "sdk", instance: server } },
    { onFailure: "partial", classifier: undefined },
  );
  await hub.connect();
  const { structuredContent } = await hub.call("here__move", point, {
    signal: undefined,
  });
  return structuredContent?.x;
}

/** Settings of an interface, and controls. */
export async function change(
  client: Client,
  settings: Settings,
): Promise<void> {
  const own: CliSettings = { model: "opus", env: { A: "1" } };
  await client.applySettings({ ...own, effortLevel: null });
  await client.applySettings(settings);
  await client.request("anything", settings);
  await client.setModel(settings.model, { signal: settings.signal });
}

/** Chats and stand-ins. */
export async function rest(id?: string, system?: string): Promise<Message[]> {
  const chat = Session.create({ id, system });
  chat.append({ role: "user", content: "Hi" });
  await using store = new SessionStore("chats", { lenient: undefined });
  await store.list();
  await using model = await scriptedModel([{ text: "Hi", thinking: system }]);
  await using cli = fakeCli({ turns: "Hi", version: id });
  const messages: Message[] = [];
  const { env } = model;
  const options = { cliPath: cli.cliPath, env };
  for await (const message of query("Hi", options)) messages.push(message);
  return messages;
}

/** Code that must not compile. */
export function mistakes(client: Client, hub: McpHub): unknown[] {
  return [
    // @ts-expect-error: a key that is written wrong
    () => query("Hi", { modle: "opus" }),
    // @ts-expect-error: no such mode
    () => query("Hi", { permissions: { mode: "yolo" } }),
    // @ts-expect-error: a model is a text
    () => query("Hi", { settings: { model: 3 } }),
    // @ts-expect-error: a list is no object
    () => client.request("x", [1]),
    // @ts-expect-error: a function is no object
    () => hub.call("x", () => 1),
    // @ts-expect-error: without a schema nothing is known
    async () => (await client.output("Hi")).title,
    () =>
      tool({
        name: "a",
        description: "",
        input: planSchema,
        // @ts-expect-error: there is no such argument
        run: ({ no }) => no,
      }),
    // @ts-expect-error: a hook says no number
    (): AgentOptions => ({ hooks: { Stop: [{ hooks: [() => 1] }] } }),
  ];
}
