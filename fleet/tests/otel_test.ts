import assert from "node:assert/strict";
import { context, trace, type Tracer } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { telemetry } from "@sluice/agent/otel";
import { fakeCli } from "@sluice/agent/testing";
import type { WorkOptions } from "@sluice/fleet";
import { metersInMemory } from "../../tests/otel/_meters.ts";
import { spansInMemory } from "../../tests/otel/_spans.ts";
import { test } from "./_fleet.ts";

test("An attempt is a span below that of the submitter, and above its conversation", async (rig) => {
  const { tracer, tree, one } = spansInMemory();
  const { meter, points } = metersInMemory();
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const ends: string[] = [];
  const agent = telemetry({ tracer, meter, agentName: "helper" });
  const fake = fakeCli("Done.");
  const own: WorkOptions = {
    options: ({ id }) => {
      assert.equal(id, "j1");
      return { cliPath: fake.cliPath };
    },
    metrics: {
      attemptEnd: (_id, _attempt, outcome) => void ends.push(outcome),
    },
  };
  try {
    const fleet = await rig.fleet();
    const worker = await fleet.work(agent.fleet(own));
    const outer = (tracer as Tracer).startSpan("request");
    const job = await context.with(
      trace.setSpan(context.active(), outer),
      () => fleet.submit("x", { id: "j1", name: "review" }),
    );
    outer.end();
    await job.result();
    await worker.drain();
  } finally {
    context.disable();
    manager.disable();
  }
  assert.deepEqual(tree(), [
    "request",
    "  job review",
    "    invoke_agent helper",
    "      startup",
    "      turn",
    "        chat claude-opus-5-5",
  ]);
  assert.deepEqual(one("job review").attributes, {
    "sluice.job.id": "j1",
    "sluice.job.attempt": 1,
    "sluice.job.name": "review",
    "sluice.outcome": "done",
  });
  assert.deepEqual(ends, ["done"]);
  assert.deepEqual(await points("sluice.fleet.attempt.duration"), [
    [{ "sluice.outcome": "done" }, 1],
  ]);
  assert.equal((await points("sluice.fleet.wait")).length, 1);
  await fake.close();
});

test("A failed attempt is a failed span", async (rig) => {
  const { tracer, one } = spansInMemory();
  const fleet = await rig.fleet();
  const options: WorkOptions = telemetry({ tracer }).fleet({
    options: { cliPath: "/nowhere/claude" },
  });
  const worker = await fleet.work(options);
  const job = await fleet.submit("x", {
    maxAttempts: 1,
    options: { cliPath: "/nowhere/claude" },
  });
  await assert.rejects(job.result());
  await worker.drain();
  const { status, attributes } = one("job");
  assert.equal(status.code, 2);
  assert.equal(attributes["error.type"], "failed");
});

test("A worker with telemetry runs jobs without a tracer", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli("Done.");
  const worker = await fleet.work(
    telemetry().fleet({ options: { cliPath: fake.cliPath } }),
  );
  const job = await fleet.submit("x");
  assert.equal((await job.result()).result.subtype, "success");
  await worker.drain();
  await fake.close();
});
