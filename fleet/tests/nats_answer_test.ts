import type { NatsConnection } from "@nats-io/transport-node";
import assert from "node:assert/strict";
import { test } from "../../tests/_harness.ts";
import { NatsCalls, refusal } from "../src/nats_calls.ts";

test("What a server cannot do just now is asked again, what it will never do is not", async () => {
  // As servers from 2.10.27 to 2.15.1 say it.
  const answers: readonly (readonly [boolean, number, number, string])[] = [
    [true, 503, 10008, "JetStream system temporarily unavailable"],
    [true, 503, 10009, "JetStream not in clustered mode"],
    [true, 400, 10005, "no suitable peers for placement"],
    [true, 409, 10158, "duplicate message id is in process"],
    [true, 400, 10164, "wrong last sequence"],
    [false, 400, 10071, "wrong last sequence: 4"],
    [false, 503, 10077, "maximum bytes exceeded"],
    [false, 404, 10059, "stream not found"],
  ];
  for (const [isAgain, code, err_code, description] of answers) {
    const text = JSON.stringify({ error: { code, err_code, description } });
    const connection = {
      status: async function* () {},
      closed: () => new Promise(() => {}),
      request: () => Promise.resolve({ data: new TextEncoder().encode(text) }),
    } as unknown as NatsConnection;
    const calls = new NatsCalls(connection, () => assert.fail(), 0, () => {});
    const said = await calls.ask("x", "").then(
      (answer) => refusal(answer, "x"),
      (error) => error,
    );
    assert.equal(said.fault === "unreachable", isAgain, description);
    assert.match(said.message, new RegExp(description));
  }
});
