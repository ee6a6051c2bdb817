import assert from "node:assert/strict";
import { ProtocolError, query } from "@sluice/agent";
import { Parser } from "../../src/parse/parser.ts";
import { Router } from "../../src/wire/router.ts";
import { collect } from "../_collect.ts";
import { test } from "../_harness.ts";
import { assistantLine, memoryCli } from "./_rig.ts";

test(
  "a stage that fails is a fatal ProtocolError after what had passed, and the last of errors",
  async () => {
    const boom = new Error("A bug");
    for (const stage of [Parser.prototype, Router.prototype]) {
      const { transport, peer } = memoryCli();
      const conversation = query("x", { transport });
      const reading = collect(conversation);
      const errors = collect(conversation.errors);
      await conversation.ready;
      await peer.send(assistantLine("a"));
      const { push } = stage;
      try {
        stage.push = () => {
          throw boom;
        };
        await peer.send(assistantLine("b"));
      } finally {
        stage.push = push as never;
      }
      const { items, error } = await reading;
      assert.equal(items.length, 1);
      assert.ok(error instanceof ProtocolError);
      assert.equal(error.category, "protocol");
      assert.equal(error.fatal, true);
      assert.equal(error.cause, boom);
      assert.deepEqual((await errors).items, [error]);
      await conversation.close();
    }
  },
  { ids: ["R-07", "QA-02"] },
);
