import assert from "node:assert/strict";
import {
  type ApprovalDecision,
  Client,
  memoryApprovals,
  query,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { sseResponse, type StreamFormat } from "@sluice/agent/ui";
import { test } from "../_harness.ts";
import { EventReader, eventsOf } from "./_events.ts";
import { assistant } from "./_messages.ts";

const HELLO = "Hello.";

/** Types of the data of all events. */
async function typesOf(response: Response): Promise<readonly unknown[]> {
  return (await eventsOf(response)).map(({ data }) =>
    (data as { type?: string }).type ?? data
  );
}

test("the format ai-sdk is a UI message stream with its header and its mark at the end", async () => {
  const { cliPath } = fakeCli(HELLO);
  const response = sseResponse(query("x", { cliPath }), { format: "ai-sdk" });
  assert.equal(response.headers.get("x-vercel-ai-ui-message-stream"), "v1");
  assert.deepEqual(await typesOf(response), [
    ...["start", "start-step", "text-start", "text-delta", "text-end"],
    ...["finish-step", "message-metadata", "finish", "[DONE]"],
  ]);
});

test("the format ag-ui is a run with the ids of its request", async () => {
  const client = new Client({ cliPath: fakeCli(HELLO).cliPath });
  await client.connect("x");
  const run = { threadId: "t1", runId: "r1" };
  const response = sseResponse(client, { format: "ag-ui", run });
  const events = await eventsOf(response);
  assert.deepEqual(events[0]?.data, {
    type: "RUN_STARTED",
    ...run,
    protocolVersion: "1.0",
  });
  const last = events.at(-1)?.data as Record<string, unknown>;
  assert.equal(last.type, "RUN_FINISHED");
  assert.equal(last.runId, "r1");
  await client.close();
});

test("a page that cannot have the beginning gets an error, and the others read on", async () => {
  const cases: readonly (readonly [StreamFormat, readonly string[]])[] = [
    ["ai-sdk", ["error", "[DONE]"]],
    ["ag-ui", ["RUN_STARTED", "RUN_ERROR"]],
  ];
  for (const [format, expected] of cases) {
    const source = async function* () {
      for (let at = 0; at < 99; at++) {
        const text = "x".repeat(100);
        const message = { id: `msg_${at}`, content: [{ type: "text", text }] };
        yield assistant([], { message });
      }
    }();
    const options = { format, bufferBytes: 2_000 } as const;
    const first = new EventReader(sseResponse(source, options).body);
    for (let count = 0; count < 50; count++) await first.next();
    assert.deepEqual(await typesOf(sseResponse(source, options)), expected);
    const rest = await first.rest();
    assert.equal(rest.length > 100, true, format);
  }
});

test("questions and answers are chunks of the formats", async () => {
  const decisions: readonly ApprovalDecision[] = [
    { behavior: "allow" },
    { behavior: "deny", message: "No" },
  ];
  const expected: Readonly<Record<string, readonly (readonly string[])[]>> = {
    "ai-sdk": [
      ["tool-approval-response", "tool-output-available"],
      ["tool-approval-response", "tool-output-denied"],
    ],
    "ag-ui": [
      ["CUSTOM", "TOOL_CALL_RESULT"],
      ["CUSTOM", "TOOL_CALL_RESULT"],
    ],
  };
  for (const format of ["ai-sdk", "ag-ui"] as const) {
    for (const [at, decision] of decisions.entries()) {
      const store = memoryApprovals();
      const { cliPath } = fakeCli([[{ tool: "Bash", input: {} }, "Done."]]);
      const conversation = query("x", {
        cliPath,
        permissions: { approvals: { store } },
      });
      const reader = new EventReader(
        sseResponse(conversation, { format, approvals: store }).body,
      );
      const isAsked = /"type":"(?:tool-approval-request|CUSTOM)"/;
      await reader.find(({ data }) => isAsked.test(JSON.stringify(data)));
      const [asked] = await store.list();
      assert.ok(asked);
      await store.answer(asked.request.id, decision);
      const types = (await reader.rest()).map(({ data }) =>
        String((data as { type?: string }).type)
      ).filter((type) => /response|output|CUSTOM|RESULT/.test(type));
      assert.deepEqual(types, expected[format]?.[at], `${format} ${at}`);
    }
  }
});
