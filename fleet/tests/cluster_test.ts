import assert from "node:assert/strict";
import { test } from "../../tests/_harness.ts";
import type { Engine } from "../src/engine.ts";
import { connectNats } from "../src/connect_nats.ts";
import { Fleet } from "@sluice/fleet";
import { fakeCli } from "@sluice/agent/testing";
import { repeated } from "../../tests/_steps.ts";
import { all, outcomes } from "./_fleet.ts";
import { ENGINE_CASES } from "./_engine_suite.ts";
import { reasonWithoutNats, withCluster } from "./_nats.ts";

const skip = reasonWithoutNats;
/** Behaviour in which several servers differ from one; each has streams of its own, which take seconds to create. */
const CASES = /^of twenty|^a lease|^nothing that was acknowledged/;
const JOBS = 4;
const LINES = 40;

test(
  "Of three servers any one may be killed and come back: no job is lost, none is done twice",
  () =>
    withCluster(async ({ caughtUp, urls, members, leaderOf }) => {
      await using fleet = await Fleet.connect({
        servers: urls,
        name: "test",
        replicas: 3,
      });
      const { cliPath } = fakeCli({
        turns: [repeated(LINES, "word", { wait: 50 })],
        record: false,
      });
      await fleet.work({ concurrency: JOBS, options: { cliPath } });
      for (const stream of ["logs", "queue"]) {
        const jobs = await Promise.all(
          Array.from(
            { length: JOBS },
            (_, at) => fleet.submit("go", { id: `${stream}-${at}` }),
          ),
        );
        // They are at work.
        for (const job of jobs) {
          const reader = job.messages().getReader();
          for (let seq = 0; seq < 5; seq++) await reader.read();
          await reader.cancel();
        }
        const leader = await leaderOf(`SLUICE_test_${stream}`);
        await members[leader]?.kill();
        const more = await fleet.submit("go", { id: `${stream}-more` });
        for (const job of [...jobs, more]) {
          const { attempts } = await job.result();
          const messages = await all(job.messages());
          assert.deepEqual(
            messages.map(({ seq }) => seq),
            messages.map((_, at) => at + 1),
          );
          const words = messages.filter(({ message }) =>
            message.type === "assistant"
          );
          assert.equal(words.length, LINES);
          assert.deepEqual(outcomes({ attempts }), ["done"], job.id);
        }
        assert.equal(await fleet.depth(), 0);
        // The next one to be killed leaves this one and one more: it has to have caught up.
        await members[leader]?.start();
        await caughtUp();
      }
    }),
  { skip },
);

test(
  "Three servers agree on who was first, and lose nothing when all of them are killed at once",
  () =>
    withCluster(async ({ urls, members }) => {
      const cases = ENGINE_CASES.filter(({ name }) => CASES.test(name));
      for (const [at, { name, run }] of cases.entries()) {
        const engines: Engine[] = [];
        const connect = async () => {
          const engine = await connectNats({
            servers: urls,
            name: `case-${at}`,
            replicas: 3,
            leaseMs: 1_000,
          });
          engines.push(engine);
          return engine;
        };
        const rig = {
          connect,
          kill: () => each(members, (one) => one.kill()),
          start: () => each(members, (one) => one.start()),
        };
        await assert.doesNotReject(run(await connect(), rig), name);
        await Promise.all(engines.map((engine) => engine.close()));
      }
    }),
  { skip },
);

async function each<T>(
  all: readonly T[],
  go: (one: T) => Promise<void>,
): Promise<void> {
  await Promise.all(all.map(go));
}
