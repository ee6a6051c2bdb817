import assert from "node:assert/strict";
import process from "node:process";
import { isRunning, needsProc } from "../../tests/_children.ts";
import type { Job } from "@sluice/fleet";
import {
  type FakeCli,
  fakeCli,
  type FakeCliScript,
} from "@sluice/agent/testing";
import { repeated } from "../../tests/_steps.ts";
import {
  all,
  type FleetRig,
  outcomes,
  SHORT_LEASE_MS,
  test,
} from "./_fleet.ts";
import { startWorker } from "./_processes.ts";

const HELD = { wait: "forever" } as const;

/** Stages in a job's life at which a process dies: the first process that gets there goes no further. */
const STEPS: Readonly<
  Record<
    string,
    { readonly held: FakeCliScript; readonly after: FakeCliScript }
  >
> = {
  "before its agent has answered initialize": {
    held: { start: [HELD] },
    after: "done",
  },
  "before the first message of a turn": {
    held: { turns: [[HELD]], init: false },
    after: "done",
  },
  "in the middle of a turn": {
    held: [["one", "two", HELD]],
    after: "done",
  },
  "while a tool waits for an approval": {
    held: [[{ tool: "Bash", input: { command: "true" } }, "done"]],
    after: [[{ tool: "Bash", input: { command: "true" } }, "done"]],
  },
  "after its result, before its agent has ended": {
    held: { turns: "done", onStdinEnd: "ignore", onSigterm: "ignore" },
    after: "done",
  },
};

interface Held {
  readonly step: string;
  readonly fake: FakeCli;
  readonly job: Job;
}

/** Submits a job for each step. */
async function submitAll(rig: FleetRig): Promise<readonly Held[]> {
  const fleet = await rig.fleet();
  return await Promise.all(
    Object.entries(STEPS).map(async ([step, { held, after }]) => {
      const fake = fakeCli({ runs: [held, after, after] });
      const job = await fleet.submit("go", {
        id: step,
        approvals: true,
        options: { cliPath: fake.cliPath },
      });
      return { step, fake, job };
    }),
  );
}

/** Waits until each job is where it is held. */
async function untilHeld(held: readonly Held[]): Promise<void> {
  await Promise.all(held.map(async ({ step, fake, job }) => {
    await fake.until((runs) => runs.length === 1);
    if (step.includes("initialize")) return;
    const count = step.includes("middle") ? 3 : step.includes("result") ? 2 : 0;
    const reader = job.messages().getReader();
    for (let seq = 0; seq < count; seq++) await reader.read();
    await reader.cancel();
    if (step.includes("first message")) {
      await fake.receivedLine((line) => line["type"] === "user");
    }
    while (
      step.includes("approval") &&
      (await job.status()).waitingFor.length === 0
    ) await new Promise((resolve) => setTimeout(resolve, 20));
  }));
}

/** Says yes to whatever is asked. */
async function approveAll(rig: FleetRig, signal: AbortSignal): Promise<void> {
  const { approvals } = await rig.fleet();
  for await (const one of approvals.watch(signal)) {
    if (one.decision !== undefined) continue;
    await approvals.answer(one.request.id, { behavior: "allow" });
  }
}

/** Each job has one result, and its messages no gap. */
async function allDone(
  rig: FleetRig,
  held: readonly Held[],
  expected: (step: string) => readonly string[],
): Promise<void> {
  const ended = new AbortController();
  const approving = approveAll(rig, ended.signal);
  for (const { step, job } of held) {
    const { result } = await job.result();
    assert.equal(result.subtype === "success" && result.result, "done", step);
    const status = await job.status();
    assert.deepEqual(outcomes(status), expected(step), step);
    const messages = await all(job.messages());
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, at) => at + 1),
      step,
    );
    assert.equal(messages.at(-1)?.attempt, status.attempts.length, step);
  }
  ended.abort();
  await approving;
}

test(
  "Whenever its worker is killed, a job continues at another one and ends once",
  async (rig) => {
    const work = { concurrency: Object.keys(STEPS).length };
    const first = await startWorker(rig.connect, work);
    const held = await submitAll(rig);
    await untilHeld(held);
    await first.kill();
    const second = await startWorker(rig.connect, work);
    await allDone(rig, held, () => ["lost", "done"]);
    assert.equal(await second.end(), 0);
    for (const { fake } of held) assert.equal(fake.runs.length, 2);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);

test(
  "Whenever its CLI is killed, a job is tried again and ends once",
  async (rig) => {
    const fleet = await rig.fleet();
    await fleet.work({ concurrency: Object.keys(STEPS).length });
    const held = await submitAll(rig);
    await untilHeld(held);
    for (const { fake } of held) {
      process.kill(fake.runs[0]?.pid ?? 0, "SIGKILL");
    }
    await allDone(rig, held, () => ["failed", "done"]);
  },
  { skip: needsProc },
);

test(
  "Whenever the server is killed and comes back, no attempt is lost",
  async (rig) => {
    const fleet = await rig.fleet();
    await fleet.work({ concurrency: 8 });
    const wait = { wait: { control: "interrupt" } } as const;
    const fakes = [
      fakeCli({ start: [{ wait: 400 }], turns: "done" }),
      fakeCli([["one", "two", wait, "done"]]),
      fakeCli([[{ tool: "Bash", input: { command: "true" } }, "done"]]),
      fakeCli([repeated(200, "word", { wait: 2 })]),
    ];
    const jobs = await Promise.all(
      fakes.map(({ cliPath }, at) =>
        fleet.submit("go", {
          id: `${at}`,
          approvals: true,
          options: { cliPath },
        })
      ),
    );
    await fakes[0]?.until((runs) => runs.length === 1);
    for (const at of [1, 3]) {
      const reader = jobs[at]!.messages().getReader();
      for (let seq = 0; seq < 3; seq++) await reader.read();
      await reader.cancel();
    }
    await rig.kill();
    const submitted = fleet.submit("go", {
      id: "meanwhile",
      options: { cliPath: fakeCli("done").cliPath },
    });
    const followed = all(jobs[3]!.messages());
    await rig.start();
    const ended = new AbortController();
    const approving = approveAll(rig, ended.signal);
    await jobs[1]!.interrupt();
    for (const job of [...jobs, await submitted]) {
      const { attempts } = await job.result();
      assert.deepEqual(outcomes({ attempts }), ["done"], job.id);
    }
    const messages = await followed;
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, at) => at + 1),
    );
    const words = messages.filter(({ message }) =>
      message.type === "assistant"
    );
    assert.equal(words.length, 200);
    ended.abort();
    await approving;
    assert.equal(await fleet.depth(), 0);
  },
  { skip: needsProc },
);

test(
  "A server that cannot be reached for longer than a lease costs attempts, and no job",
  async (rig) => {
    const work = { concurrency: 4 };
    const workers = [
      await startWorker(rig.connect, work),
      await startWorker(rig.connect, work),
    ];
    const fleet = await rig.fleet();
    const { cliPath } = fakeCli({
      turns: [repeated(60, "word", { wait: 50 })],
      record: false,
    });
    const jobs = await Promise.all(
      ["a", "b", "c", "d"].map((id) =>
        fleet.submit("go", { id, options: { cliPath } })
      ),
    );
    const followed = Promise.all(jobs.map((job) => all(job.messages())));
    followed.catch(() => {});
    for (const job of jobs) {
      const reader = job.messages().getReader();
      for (let seq = 0; seq < 5; seq++) await reader.read();
      await reader.cancel();
    }
    rig.freeze(true);
    const late = fleet.submit("go", { id: "late", options: { cliPath } });
    // Only time can pass here: leases, and the agents' turns.
    await new Promise((resolve) => setTimeout(resolve, 2 * SHORT_LEASE_MS));
    rig.freeze(false);
    for (const job of [...jobs, await late]) {
      const { attempts } = await job.result();
      const before = outcomes({ attempts }).slice(0, -1);
      // The agent was stopped in time, by the clock of its worker.
      assert.ok(
        before.every((one) => one === "released" || one === "lost"),
        `${job.id}: ${before}`,
      );
      assert.equal(attempts.at(-1)?.outcome, "done");
    }
    for (const messages of await followed) {
      assert.deepEqual(
        messages.map(({ seq }) => seq),
        messages.map((_, at) => at + 1),
      );
    }
    assert.equal(await fleet.depth(), 0);
    for (const worker of workers) assert.equal(await worker.end(), 0);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);

test(
  "Clocks that are wrong by ten minutes move neither delays nor deadlines nor leases",
  async (rig) => {
    const minutes = 10 * 60_000;
    const workers = [
      await startWorker(rig.connect, { name: "late" }, -minutes),
      await startWorker(rig.connect, { name: "early" }, minutes),
    ];
    const fleet = await rig.fleet();
    const { cliPath } = fakeCli({
      turns: [repeated(60, "word", { wait: 50 })],
      record: false,
    });
    const began = Date.now();
    const jobs = await Promise.all([0, 1].map((at) =>
      fleet.submit("go", {
        key: `${at}`,
        delayMs: 500,
        deadlineMs: minutes / 2,
        options: { cliPath },
      })
    ));
    const names = new Set<string>();
    for (const job of jobs) {
      const { attempts } = await job.result();
      assert.deepEqual(outcomes({ attempts }), ["done"]);
      for (const { worker, beganAt } of attempts) {
        names.add(worker);
        const after = beganAt - began;
        assert.ok(after >= 450 && after < minutes / 2, `${worker}: ${after}`);
      }
    }
    assert.deepEqual([...names].toSorted(), ["early", "late"]);
    for (const worker of workers) assert.equal(await worker.end(), 0);
  },
  { skip: needsProc },
);

test(
  "A worker that was frozen finds its jobs gone, publishes nothing more, and stops its agent",
  async (rig) => {
    const fake = fakeCli({
      runs: [
        [repeated(10_000, "old", { wait: 5 })],
        [["new", { wait: { control: "interrupt" } }, "done"]],
      ],
    });
    const fleet = await rig.fleet();
    const job = await fleet.submit("go", {
      options: { cliPath: fake.cliPath },
    });
    const frozen = await startWorker(rig.connect, {});
    const reader = job.messages().getReader();
    for (let seq = 0; seq < 5; seq++) await reader.read();
    await reader.cancel();
    process.kill(frozen.pid, "SIGSTOP");
    await fleet.work();
    await fake.until((runs) => runs.length === 2);
    process.kill(frozen.pid, "SIGCONT");
    await fake.until(([run]) => run !== undefined && !isRunning(run.pid));
    await job.interrupt();
    await job.result();
    const messages = await all(job.messages());
    assert.deepEqual(
      messages.map(({ seq }) => seq),
      messages.map((_, at) => at + 1),
    );
    const attempts = messages.map(({ attempt }) => attempt);
    assert.deepEqual(attempts, attempts.toSorted());
    assert.deepEqual(outcomes(await job.status()), ["lost", "done"]);
    assert.equal(await frozen.end(), 0);
  },
  { leaseMs: SHORT_LEASE_MS, skip: needsProc },
);
