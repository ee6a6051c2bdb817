import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { reasonWithoutCli, withRealCli } from "../../tests/_real_cli.ts";
import type { Fleet, Job } from "@sluice/fleet";
import { sealingWith } from "../src/sealing.ts";
import { Store } from "../src/store.ts";
import { fencedTranscripts } from "../src/transcripts.ts";
import { all, outcomes, SHORT_LEASE_MS, test } from "./_fleet.ts";
import { startWorker } from "./_processes.ts";

/** Waits until the session of a job is in the store as far as a text; gives its id. */
async function untilKept(
  fleet: Fleet,
  job: Job,
  text: string,
): Promise<string> {
  for (;;) {
    const { sessionId } = await job.status();
    const key = { projectKey: "fleet", sessionId: sessionId ?? "" };
    const entries = await fleet.transcripts.load(key);
    if (JSON.stringify(entries).includes(text)) return key.sessionId;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test(
  "A job whose worker was killed in the middle of a turn continues on another machine with its history",
  (rig) =>
    withRealCli([
      {
        text: "I look.",
        tool: "Bash",
        input: { command: "echo first-$((40 + 2))" },
      },
      { text: "Slow.", hang: true },
      "All done.",
    ], async (cli) => {
      const fleet = await rig.fleet();
      const job = await fleet.submit("Find it", {
        options: {
          ...cli.options,
          sessionId: crypto.randomUUID(),
          permissions: { approve: ["Bash"] },
        },
      });
      const first = await startWorker(rig.connect, {});
      await cli.model.waitForRequest(2);
      const session = await untilKept(fleet, job, "first-42");
      await first.kill();
      const home = `${cli.env["HOME"]}-elsewhere`;
      await mkdir(home);
      const options = { env: { HOME: home } };
      const second = await startWorker(rig.connect, { options });
      const { result, attempts } = await job.result();
      assert.equal(
        result.subtype === "success" && result.result,
        "All done.",
      );
      assert.equal(result.session_id, session);
      assert.deepEqual(outcomes({ attempts }), ["lost", "done"]);
      assert.deepEqual(attempts.map(({ resumed }) => resumed), [
        undefined,
        session,
      ]);
      const { body } = await cli.model.waitForRequest(3);
      const said = JSON.stringify(body["messages"]);
      for (
        const part of [
          "Find it",
          "I look.",
          "first-42",
          "you continue in another one",
        ]
      ) {
        assert.ok(said.includes(part), `${part} in ${said}`);
      }
      const messages = await all(job.messages());
      const results = messages.filter(({ message }) =>
        message.type === "result"
      );
      assert.deepEqual(results.map(({ attempt }) => attempt), [2]);
      assert.equal(await second.end(), 0);
    }),
  { leaseMs: SHORT_LEASE_MS, skip: reasonWithoutCli },
);

test("What a replaced attempt adds to a session is dropped, and one that the server refuses once is taken later", async (rig) => {
  const engine = await rig.engine();
  const sealing = await sealingWith(undefined);
  const key = { projectKey: "fleet", sessionId: crypto.randomUUID() };
  const part = { ...key, subpath: "subagents/agent-1" };
  const line = (text: string) => ({ type: "user", text });
  let isBroken = true;
  const failing = await rig.engine();
  const append = failing.append.bind(failing);
  failing.append = (...given) =>
    isBroken ? Promise.reject(new Error("Disk is full")) : append(...given);
  const old = fencedTranscripts(new Store(failing, sealing));
  await assert.rejects(old.append(key, [line("a")]), /Disk is full/);
  isBroken = false;
  await old.append(key, [line("a")]);
  isBroken = true;
  await assert.rejects(old.append(key, [line("b")]), /Disk is full/);
  isBroken = false;
  await old.append(key, [line("b")]);
  await old.append(part, [line("c")]);
  const next = fencedTranscripts(new Store(engine, sealing));
  const taken = [await next.load(key), await next.load(part)];
  assert.deepEqual(taken, [[line("a"), line("b")], [line("c")]]);
  await old.append(key, [line("late")]);
  await old.append(part, [line("late")]);
  await next.append(key, [line("d")]);
  assert.deepEqual(await next.load(key), [
    line("a"),
    line("b"),
    line("d"),
  ]);
  assert.deepEqual(await next.load(part), [line("c")]);
});
