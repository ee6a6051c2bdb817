import assert from "node:assert/strict";
import { fencedTranscripts } from "../src/transcripts.ts";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import {
  approvalStoreCases,
  transcriptStoreCases,
} from "@sluice/agent/testing";
import { test } from "./_fleet.ts";

test("fleet.approvals does all that a store has to", async (rig) => {
  const { approvals } = await rig.fleet();
  const emptied = async () => {
    for (const { request } of await approvals.list()) {
      await approvals.delete?.(request.id);
    }
    return approvals;
  };
  for (const { name, run } of approvalStoreCases(emptied)) {
    await assert.doesNotReject(run(), name);
  }
});

test("fleet.transcripts does all that a store has to", async (rig) => {
  const { transcripts } = await rig.fleet();
  for (const { name, run } of transcriptStoreCases(() => transcripts)) {
    await assert.doesNotReject(run(), name);
  }
});

test("The store that an attempt has does all that one has to", async (rig) => {
  const store = new Store(await rig.engine(), await sealingWith(undefined));
  const make = () => fencedTranscripts(store);
  for (const { name, run } of transcriptStoreCases(make)) {
    await assert.doesNotReject(run(), name);
  }
});
