import assert from "node:assert/strict";
import { test } from "../_harness.ts";

const ONLY = { only: "deno" } as const;
const page = () => import("../../scripts/protocol/page.ts");

const TEXT = { type: "string", description: "Some text." };
const ID = "12345678-1234-1234-1234-123456789abc";

/** A description of next to nothing. */
const SMALL = {
  $id: "urn:sluice:protocol:2.1.7",
  $defs: {
    Note: {
      description: "A note.",
      type: "object",
      required: ["type", "text"],
      properties: {
        type: { const: "note" },
        text: TEXT,
        level: {
          $ref: "#/$defs/Level",
          "x-published": false,
          "x-since": "2.1.5",
        },
        parts: {
          type: "array",
          items: { type: "object", properties: { size: { type: "number" } } },
        },
        never: { not: {} },
      },
    },
    Level: { description: "How loud.", enum: ["low", "high"] },
    Unused: { enum: ["x"] },
    Request: {
      type: "object",
      properties: {
        type: { const: "control_request" },
        request_id: TEXT,
        request: { $ref: "#/$defs/Ask" },
      },
    },
    Ask: {
      description: "Asks.",
      type: "object",
      properties: { subtype: { const: "ask" } },
    },
    Answer: {
      description: "An answer.",
      type: "object",
      properties: { id: TEXT },
    },
    Silent: { type: "object", properties: { subtype: { const: "silent" } } },
    Stop: {
      description: "The end.",
      type: "object",
      properties: { hook_event_name: { const: "Stop" } },
    },
    StdoutLine: {
      anyOf: [{ $ref: "#/$defs/Note" }, { $ref: "#/$defs/Response" }],
    },
    Response: {
      type: "object",
      properties: { type: { const: "control_response" } },
    },
    StdinLine: { anyOf: [{ $ref: "#/$defs/Request" }] },
  },
  "x-controls": {
    ask: {
      direction: "host-to-cli",
      request: "Ask",
      reply: "Answer",
      published: true,
    },
    silent: {
      direction: "host-to-cli",
      request: "Silent",
      reply: null,
      published: false,
    },
  },
  "x-hooks": { Stop: { input: "Stop", output: null, published: true } },
  "x-messages": [{ type: "note", def: "Note", published: true }],
} as const;

const RUN = [
  {
    dir: "in",
    msg: {
      type: "control_request",
      request_id: "abc",
      request: { subtype: "ask" },
    },
  },
  {
    dir: "out",
    msg: {
      type: "control_response",
      response: { subtype: "success", request_id: "abc", response: { id: ID } },
    },
  },
  {
    dir: "out",
    msg: {
      type: "note",
      text: "x".repeat(100),
      parts: [{ size: 1 }, { size: 2 }, { size: 3 }],
    },
  },
];

test(
  "the page has each field with its facts, and an example without personal ids",
  async () => {
    const { pageParts } = await page();
    const parts = pageParts(SMALL, [RUN]);
    assert.equal(
      parts.get("messages"),
      `### Message \`note\`

A note.

| field | type |  | since | meaning |
| --- | --- | --- | --- | --- |
| \`type\` | \`"note"\` | always |  |  |
| \`text\` | string | always |  | Some text. |
| \`level\` | [Level](#level) | optional, seen only | 2.1.5 |  |
| \`parts\` | object[] | optional |  |  |
| \`parts[].size\` | number | optional |  |  |

\`\`\`json
{
  "type": "note",
  "text": "${"x".repeat(60)}...",
  "parts": [
    {
      "size": 1
    },
    {
      "size": 2
    }
  ]
}
\`\`\``,
    );
    const requests = parts.get("requests of the host") ?? "";
    assert.match(requests, /### Request `ask`\n\nAsks\./);
    assert.match(requests, /The reply: an answer\./i);
    assert.match(requests, /"id": "00000000-0000-4000-8000-000000000001"/);
    assert.match(requests, /Known by name only, seen in the CLI: `silent`\./);
    assert.ok(!requests.includes(ID));
    assert.match(parts.get("hooks") ?? "", /### Hook `Stop`\n\nThe end\./);
    assert.match(
      parts.get("shapes") ?? "",
      /^### Level\n\nHow loud\.\n\nOne of: `"low"` \| `"high"`$/,
    );
  },
  ONLY,
);

test(
  "made parts stand between their marks, and the rest of the page stays",
  async () => {
    const { withParts } = await import("../../scripts/protocol/markdown.ts");
    const before = "Hand.\n\n<!-- made: a -->\nold\n<!-- end: a -->\n\nMore.\n";
    const after = withParts(before, new Map([["a", "new\n"]]));
    assert.equal(
      after,
      "Hand.\n\n<!-- made: a -->\n\nnew\n\n<!-- end: a -->\n\nMore.\n",
    );
    assert.equal(withParts(after, new Map([["a", "new\n"]])), after);
    assert.throws(
      () => withParts(before, new Map([["b", ""]])),
      /lacks .*made: b/,
    );
  },
  ONLY,
);
