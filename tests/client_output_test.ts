import assert from "node:assert/strict";
import { z } from "zod";
import {
  Client,
  NotConnectedError,
  ResultError,
  StructuredOutputError,
} from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { withConnected } from "./_clients.ts";
import { rejectionOf } from "./_collect.ts";
import { test } from "./_harness.ts";

const outputSchema = {
  type: "object",
  properties: { age: { type: "number" } },
  required: ["age"],
} as const;

test("Client.text() gives the text of its own turn, one after the other and all at once", async () => {
  await withConnected(["one", "two", "three"], async ({ client }) => {
    assert.equal(await client.text("a"), "one");
    const late = client.text("b");
    assert.equal(await late, "two");
    assert.equal(await client.text("c"), "three");
  });
});

test("Client.text() rejects with ResultError for an error result, and the next turn is whole", async () => {
  const script = [
    [{ result: { is_error: true, result: "no credit" } }],
    "fine",
  ] as const;
  await withConnected(script, async ({ client }) => {
    const error = await rejectionOf(client.text("a"));
    assert.ok(error instanceof ResultError);
    assert.match(error.message, /^Turn ended with an error result: no credit/);
    assert.equal(error.result?.is_error, true);
    assert.equal(await client.text("b"), "fine");
  });
});

test("Client.output() gives the structured output of its own turn, read by the schema", async () => {
  const { cliPath } = fakeCli([
    [{ result: { structured_output: { age: 3 } } }],
    [{ result: { structured_output: { age: "x" } } }],
    [{ result: "none" }],
    [{ result: { is_error: true, structured_output: { age: 5 } } }],
    [{ result: { structured_output: { age: 4 } } }],
  ]);
  const client = new Client({ cliPath, outputSchema });
  try {
    await client.connect();
    assert.deepEqual(await client.output("a"), { age: 3 });
    for (const prompt of ["b", "c"]) {
      const error = await rejectionOf(client.output(prompt));
      assert.ok(error instanceof StructuredOutputError, prompt);
      assert.equal(error.result?.type, "result");
    }
    const error = await rejectionOf(client.output("d"));
    assert.ok(error instanceof ResultError, String(error));
    assert.equal(error.result?.is_error, true);
    assert.equal((await client.output("e")).age, 4);
  } finally {
    await client.close();
  }
});

test("Client.output() gives what a schema makes of the value", async () => {
  const { cliPath } = fakeCli([
    [{ result: { structured_output: { name: "ada" } } }],
  ]);
  const schema = z.object({
    name: z.string(),
    tags: z.array(z.string()).default([]),
  });
  const client = new Client({ cliPath, outputSchema: schema });
  try {
    await client.connect();
    assert.deepEqual(await client.output("a"), { name: "ada", tags: [] });
  } finally {
    await client.close();
  }
});

test("Client.text() and output() are cancelled by their signal, name themselves, and draw from the one stream", async () => {
  const client = new Client({ cliPath: "/does/not/exist" });
  for (const take of ["text", "output"] as const) {
    const error = await rejectionOf(client[take]("a"));
    assert.ok(error instanceof NotConnectedError);
    assert.match(error.message, new RegExp(`${take}\\(\\)`));
  }
  await client.close();
  await withConnected(["one", "two"], async ({ client }) => {
    const signal = AbortSignal.abort(new Error("enough"));
    for (const take of ["text", "output"] as const) {
      const error = await rejectionOf(client[take]("a", { signal }));
      assert.equal((error as Error).message, "enough");
    }
    const first = client.text("a", { signal: undefined });
    const second = await rejectionOf(client.output("b"));
    assert.ok(second instanceof TypeError);
    assert.match(second.message, /taken by text\(\): output\(\)/);
    assert.equal(await first, "one");
  });
});

test("A class that extends Client is a client, and so is every client by instanceof", async () => {
  class Asker extends Client {
    polite(question: string): Promise<string> {
      return this.text(`Please: ${question}`);
    }
  }
  const fake = fakeCli("Gladly.");
  const asker = new Asker({ cliPath: fake.cliPath });
  assert.ok(asker instanceof Client);
  assert.ok(new Client() instanceof Client);
  try {
    await asker.connect();
    assert.equal(await asker.polite("why?"), "Gladly.");
    assert.match(JSON.stringify(fake.received), /Please: why\?/);
  } finally {
    await asker.close();
  }
});
