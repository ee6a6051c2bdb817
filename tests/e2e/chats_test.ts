import assert from "node:assert/strict";
import { Session } from "@sluice/agent/session";
import { type AgentOptions, query } from "@sluice/agent";
import {
  listTranscripts,
  memoryTranscripts,
  sessionFromTranscript,
  startWith,
} from "@sluice/agent/transcripts";
import type { RealCli } from "../_real_cli.ts";
import { result, use } from "../session/_chats.ts";
import { realTest } from "./_real.ts";

/** A chat that no CLI has seen. */
function chat(): Session {
  const session = Session.create({ system: "You are a pirate." });
  session.append(
    { role: "user", content: "Name a river." },
    {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "Of another model.", signature: "x" },
        { type: "text", text: "I look." },
        use("t1"),
      ],
    },
    { role: "user", content: [result("t1", "The Rhine.")] },
    { role: "assistant", content: "It is the Rhine." },
  );
  return session;
}

/** Asks once, and gives what the model was sent: its turns, each as the texts, calls and results in it, and the system prompt. */
async function sent(cli: RealCli, prompt: string, options: AgentOptions) {
  const conversation = query(prompt, { ...cli.options, ...options });
  const { session_id: id } = await conversation.result();
  await conversation.close();
  const body = cli.model.requests.at(-1)?.body;
  const messages = body?.["messages"] as unknown as readonly Turn[];
  return {
    id,
    turns: messages.filter(({ role }) => role !== "system").map(told),
    system: JSON.stringify(body?.["system"]),
  };
}

interface Turn {
  readonly role: string;
  readonly content: string | readonly Readonly<Record<string, unknown>>[];
}

function told({ role, content }: Turn): string {
  const blocks = typeof content === "string"
    ? [{ type: "text", text: content }]
    : content;
  const parts = blocks.flatMap((block: Readonly<Record<string, unknown>>) => {
    if (block["type"] !== "text") {
      return [`${block["type"]} ${block["id"] ?? block["tool_use_id"]}`];
    }
    const text = String(block["text"]);
    return text.startsWith("<system-reminder>") ? [] : [text];
  });
  return `${role}: ${parts.join(", ")}`;
}

realTest(
  "startWith() begins a conversation of the CLI with a chat: the model gets its turns, calls and results",
  ["At sea.", "Aye."],
  async (cli) => {
    const place = {
      cwd: cli.cwd,
      configDirectory: `${cli.env["HOME"]}/.claude`,
    };
    const start = await startWith(chat().messages, place);
    const first = await sent(cli, "Where does it end?", start);
    const begun = [
      "user: Name a river.",
      "assistant: I look., tool_use t1",
      "user: tool_result t1",
      "assistant: It is the Rhine.",
    ];
    assert.deepEqual(first.turns, [...begun, "user: Where does it end?"]);
    assert.ok(first.system.includes("You are a pirate."), first.system);
    assert.equal(first.id, start.resume);

    const all = await sessionFromTranscript(first.id, place);
    assert.equal(all.id, first.id);
    assert.deepEqual(
      all.messages.map((one) => told(one as unknown as Turn)),
      [...begun, "user: Where does it end?", "assistant: At sea."],
    );

    // And once more, with what came to it meanwhile.
    const again = await startWith(all.messages, place);
    const second = await sent(cli, "Sure?", again);
    assert.deepEqual(second.turns, [
      ...begun,
      "user: Where does it end?",
      "assistant: At sea.",
      "user: Sure?",
    ]);
  },
);

realTest(
  "startWith() puts a chat into a store, from where another machine begins with it; unsendable parts are left out",
  ["Fine."],
  async (cli) => {
    const transcripts = { store: memoryTranscripts() };
    const view = [
      { role: "user", content: [result("gone")] },
      { role: "assistant", content: "It is the Rhine." },
      { role: "user", content: "And that one?" },
      { role: "assistant", content: [use("t9")] },
    ] as const;
    const start = await startWith(view, { ...transcripts, cwd: cli.cwd });
    const { turns, id } = await sent(cli, "Never mind.", {
      ...start,
      transcripts,
    });
    assert.equal(id, start.resume);
    assert.deepEqual(turns, [
      "user: [The beginning of this conversation is left out.]",
      "assistant: It is the Rhine.",
      "user: And that one?",
      // The CLI itself ends an unanswered call.
      "assistant: tool_use t9",
      "user: tool_result t9",
      "assistant: No response requested.",
      "user: Never mind.",
    ]);
    const [info] = await listTranscripts({ ...transcripts, cwd: cli.cwd });
    assert.equal(info?.sessionId, id);
  },
);
