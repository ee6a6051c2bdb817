import type { FakeStep } from "@sluice/agent/testing";

/** Steps several times, one after the other. */
export function repeated(
  times: number,
  ...steps: readonly FakeStep[]
): readonly FakeStep[] {
  return Array.from({ length: times }, () => steps).flat();
}

/** Text deltas as fast as the host reads them, each line of about `bytes`; the text of each begins with its number. */
export function flood(messages: number, bytes = 250): readonly FakeStep[] {
  // The rest of a line, with its ids, has about 200 bytes.
  const padding = ".".repeat(Math.max(0, bytes - 200));
  return Array.from({ length: messages }, (_, number) => {
    const delta = { type: "text_delta", text: `${number} ${padding}` };
    const event = { type: "content_block_delta", index: 0, delta };
    return {
      message: { type: "stream_event", event, parent_tool_use_id: null },
    };
  });
}
