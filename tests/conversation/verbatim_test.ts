import assert from "node:assert/strict";
import { type Prompt, query } from "@sluice/agent";
import { withClient } from "../_clients.ts";
import { test } from "../_harness.ts";
import { isPrompt, memoryCli } from "./_rig.ts";

/** The first prompt that the CLI gets. */
async function sent(
  prompt: Prompt,
  verbatimPrompts?: boolean,
): Promise<unknown> {
  const { transport, peer } = memoryCli();
  const conversation = query(prompt, { transport, verbatimPrompts });
  const line = await peer.line(isPrompt);
  await conversation.close();
  return line["client_composed"];
}

test("with verbatimPrompts every prompt says that it is to be taken as it is, however it is given", async () => {
  const message = {
    type: "user",
    message: { role: "user", content: "/x" },
  } as const;
  const source = (async function* () {
    yield "/x";
  })();
  for (
    const prompt of ["/x", [{ type: "text", text: "/x" }], source] as const
  ) {
    assert.equal(await sent(prompt, true), true);
  }
  assert.equal(await sent(ReadableStream.from([message]), true), true);
  for (const off of [false, undefined]) {
    assert.equal(await sent("/x", off), undefined);
  }
  const own = { ...message, client_composed: true } as const;
  assert.equal(await sent(ReadableStream.from([own])), true);
});

test("with verbatimPrompts a client's prompts say so as well", async () => {
  await withClient(["One.", "Two."], async ({ client, fake }) => {
    await client.connect("/one");
    for await (const _message of client.receiveResponse());
    await client.ask("/two");
    const prompts = fake.received.filter(({ type }) => type === "user");
    assert.deepEqual(
      prompts.map(({ client_composed: is }) => is),
      [true, true],
    );
  }, { verbatimPrompts: true });
});
