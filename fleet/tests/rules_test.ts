import assert from "node:assert/strict";
import process from "node:process";
import { Fleet } from "@sluice/fleet";
import { faultyCli as fakeCli } from "../../tests/_faulty_cli.ts";
import { flood } from "../../tests/_steps.ts";
import { all, outcomes, test, written } from "./_fleet.ts";

test("High jobs go first, one job of a key runs at a time, and a delay is kept", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: ["done"], record: false });
  const options = { cliPath };
  const began: string[] = [];
  let same = 0;
  let most = 0;
  const late = await fleet.submit("x", {
    id: "late",
    options,
    delayMs: 700,
  });
  const jobs = [
    await fleet.submit("x", { id: "low", options, priority: "low" }),
    await fleet.submit("x", { id: "k1", options, key: "repo" }),
    await fleet.submit("x", { id: "k2", options, key: "repo" }),
    await fleet.submit("x", { id: "high", options, priority: "high" }),
  ];
  const first = await fleet.work({
    metrics: { attemptStart: (id) => void began.push(id) },
  });
  await jobs[3]!.result();
  await fleet.work({
    concurrency: 4,
    metrics: {
      attemptStart(id) {
        began.push(id);
        if (id.startsWith("k")) most = Math.max(most, ++same);
      },
      attemptEnd: (id) => void (id.startsWith("k") && same--),
    },
  });
  for (const job of jobs) await job.result();
  assert.equal(began[0], "high");
  assert.ok(most <= 1);
  await late.result();
  const { attempts, submittedAt } = await late.status();
  assert.ok(attempts[0]!.beganAt - submittedAt >= 700);
  await first.drain();
});

test("What a worker's own code throws is told without secrets", async (rig) => {
  const fleet = await rig.fleet();
  const job = await fleet.submit("x", { maxAttempts: 1 });
  const worker = await fleet.work({
    options() {
      throw new Error("no access for https://ci:hunter2hunter2@vault/x");
    },
  });
  await assert.rejects(job.result(), (error: Error) => {
    assert.match(error.message, /no access for https:/);
    assert.doesNotMatch(error.message, /hunter2/);
    return true;
  });
  const { attempts } = await job.status();
  assert.doesNotMatch(JSON.stringify(attempts), /hunter2/);
  await worker.drain();
});

test("What may pass is tried again, what may not is a dead letter with its history", async (rig) => {
  const fleet = await rig.fleet();
  const crashing = fakeCli({ turns: [[{ kill: "SIGKILL" }]] });
  const refused = fakeCli({
    turns: [[{ stderr: "no login\n" }, { exit: 1 }]],
  });
  const overloaded = fakeCli({
    runs: [
      [{ result: { is_error: true, api_error_status: 529 } }],
      "done",
    ],
  });
  const run = (
    { cliPath }: { readonly cliPath: readonly string[] },
    id: string,
  ) => fleet.submit("x", { id, options: { cliPath }, maxAttempts: 2 });
  const jobs = [
    await run(crashing, "crash"),
    await run(refused, "refused"),
    await run(overloaded, "later"),
  ] as const;
  await fleet.work({ concurrency: 3 });
  await assert.rejects(jobs[0].result(), {
    state: "dead",
    name: "JobError",
  });
  await assert.rejects(jobs[1].result(), { state: "dead" });
  const { attempts } = await jobs[2].result();
  assert.deepEqual(outcomes({ attempts }), ["failed", "done"]);
  const dead = new Map<string, readonly (string | undefined)[]>();
  for await (const status of fleet.deadLetters()) {
    dead.set(status.id, outcomes(status));
    assert.match(status.reason ?? "", /./);
    assert.match(status.attempts[0]?.reason ?? "", /exit|signal|SIGKILL/i);
  }
  assert.deepEqual([...dead].toSorted(), [
    ["crash", ["failed", "failed"]],
    ["refused", ["failed"]],
  ]);
  assert.equal(refused.runs.length, 1);
  await (await fleet.job("refused")).retry();
  await assert.rejects(jobs[1].result(), { state: "dead" });
  assert.equal(refused.runs.length, 2);
  await jobs[0].remove();
  await assert.rejects(fleet.job("crash"), { fault: "unknown_job" });
});

test("A job is retried with as many attempts as it had, however often, and whether or not any had begun", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: [[{ kill: "SIGKILL" }]] });
  const options = { cliPath };
  const job = await fleet.submit("x", {
    options,
    maxAttempts: 1,
    delayMs: 60_000,
  });
  await job.cancel();
  await fleet.work();
  for (const count of [1, 2, 3]) {
    await job.retry();
    await assert.rejects(job.result(), { state: "dead" });
    const { attempts, maxAttempts } = await job.status();
    assert.equal(attempts.length, count);
    assert.equal(maxAttempts, count);
  }
});

test("A worker ends a job at its deadline that is not to begin yet, and one that has no place", async (rig) => {
  const fleet = await rig.fleet();
  await fleet.limit("one", 1);
  const { cliPath } = fakeCli([["Begun.", { wait: "forever" }]]);
  const runs = await fleet.submit("x", {
    name: "one",
    options: { cliPath },
  });
  await fleet.work({ concurrency: 2 });
  await runs.messages().getReader().read();
  const engine = await rig.engine();
  const deadlineMs = 300;
  await Promise.all([
    fleet.submit("x", { delayMs: 600_000, deadlineMs }),
    fleet.submit("x", { name: "one", deadlineMs }),
  ].map(async (job) =>
    await written(engine, (await job).id, '"its deadline has passed"')
  ));
  assert.equal((await runs.status()).state, "running");
});

test("A deadline is kept for whoever follows a job or lists jobs, where no worker is there", async (rig) => {
  const fleet = await rig.fleet();
  const deadlineMs = 50;
  const listed = await fleet.submit("x", { deadlineMs });
  const followed = await fleet.submit("x", { deadlineMs });
  assert.deepEqual(await all(followed.messages()), []);
  const seen = await fleet.submit("x", { deadlineMs });
  const states: string[] = [];
  for await (const { state } of seen.watch()) states.push(state);
  assert.deepEqual(states, ["queued", "dead"]);
  const { submittedAt, endedAt = 0 } = await seen.status();
  // Nobody told: it looked by itself.
  assert.ok(endedAt - submittedAt < 5_000, `${endedAt - submittedAt}`);
  const dead: string[] = [];
  for await (const { id } of fleet.deadLetters()) dead.push(id);
  assert.ok(dead.includes(listed.id));
});

test("A deadline ends a job that runs, and one that nobody takes", async (rig) => {
  const fleet = await rig.fleet();
  const alone = await fleet.submit("x", { deadlineMs: 50 });
  const waiting = alone.result();
  await assert.rejects(waiting, { state: "dead", message: /deadline/ });
  const fake = fakeCli([[{ wait: "forever" }]]);
  // There before it, so that it is taken long before its deadline.
  await fleet.work();
  const job = await fleet.submit("x", {
    deadlineMs: 2_000,
    options: { cliPath: fake.cliPath },
  });
  await assert.rejects(job.result(), {
    state: "dead",
    message: /deadline/,
  });
  assert.deepEqual(outcomes(await job.status()), ["stopped"]);
});

test("A worker that drains ends what it can and gives the rest back", async (rig) => {
  const fleet = await rig.fleet();
  const quick = fakeCli([[{ wait: { control: "interrupt" } }, "done"]]);
  const slow = fakeCli({
    runs: [[["one", { wait: "forever" }]], "done", "done"],
  });
  const one = await fleet.submit("x", {
    options: { cliPath: quick.cliPath },
  });
  const two = await fleet.submit("x", {
    options: { cliPath: slow.cliPath },
  });
  const first = await fleet.work({ concurrency: 2, drainMs: 4_000 });
  await quick.receivedLine((line) => line["type"] === "user");
  await slow.receivedLine((line) => line["type"] === "user");
  const drained = first.drain();
  const waiting = await fleet.submit("x", {
    options: { cliPath: slow.cliPath },
  });
  await one.interrupt();
  await one.result();
  await drained;
  await first.ended;
  assert.equal((await waiting.status()).state, "queued");
  assert.deepEqual(outcomes(await two.status()), ["released"]);
  await fleet.work({ concurrency: 2 });
  await waiting.result();
  assert.deepEqual(outcomes(await two.result()), ["released", "done"]);
});

test("A function for options that does not answer holds up neither a drain nor a cancel", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli(["done"]);
  const asked: (() => void)[] = [];
  const come = () => new Promise<void>((resolve) => asked.push(resolve));
  const options = () => {
    asked.shift()?.();
    return new Promise<never>(() => {});
  };
  const job = await fleet.submit("x", {
    options: { cliPath: fake.cliPath },
  });
  const begun = come();
  const first = await fleet.work({ drainMs: 1, options });
  await begun;
  await first.drain();
  assert.deepEqual(outcomes(await job.status()), ["released"]);
  const again = come();
  const second = await fleet.work({ drainMs: 1, options });
  await again;
  await job.cancel();
  await assert.rejects(job.result(), { name: "JobError" });
  await second.drain();
  assert.deepEqual(outcomes(await job.status()), ["released", "stopped"]);
});

test("A job takes further prompts, each has its turn, until it has its last result", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli({
    match: [{
      prompt: "first",
      turn: [{ wait: { control: "interrupt" } }, "one"],
    }, {
      prompt: "second",
      turn: "two",
    }],
  });
  const job = await fleet.submit("first", {
    options: { cliPath: fake.cliPath },
  });
  await fleet.work();
  await fake.receivedLine((line) => line["type"] === "user");
  await job.send("second");
  await job.interrupt();
  const { result } = await job.result();
  assert.equal(result.subtype === "success" && result.result, "two");
  await assert.rejects(job.send("third"), { name: "FleetError" });
});

test("A tool call waits for an answer from another program, and is answered once", async (rig) => {
  const { fleet, fake, job } = await rig.job([[
    { tool: "Bash", input: { command: "ls" } },
    "done",
  ]], { approvals: true });
  await fleet.work();
  const { approvals } = await rig.fleet();
  const ended = new AbortController();
  let asked = "";
  for await (const { request } of approvals.watch(ended.signal)) {
    asked = request.id;
    break;
  }
  while ((await job.status()).waitingFor.length === 0);
  assert.deepEqual((await job.status()).waitingFor, [asked]);
  const question = await approvals.get(asked);
  assert.equal(question?.request.tool, "Bash");
  const decision = { behavior: "deny", message: "Not today" } as const;
  const both = await Promise.all([
    approvals.answer(asked, decision),
    fleet.approvals.answer(asked, decision),
  ]);
  assert.deepEqual(both.toSorted(), [false, true]);
  await job.result();
  assert.deepEqual((await job.status()).waitingFor, []);
  const [record] = fake.decisions;
  assert.equal(
    record?.kind === "permission" && record.decision?.behavior,
    "deny",
  );
});

test("A question of a job that was cancelled is answered with no", async (rig) => {
  const { fleet, job } = await rig.job([[
    { tool: "Bash", input: { command: "ls" } },
    "done",
  ]], { approvals: true });
  await fleet.work();
  const ended = new AbortController();
  for await (const one of fleet.approvals.watch(ended.signal)) {
    if (one.decision === undefined) await job.cancel();
    else {
      assert.equal(one.decision.behavior, "deny");
      break;
    }
  }
  await assert.rejects(job.result(), { name: "JobError" });
});

test("Messages and prompts of any size travel, and a hundred subscribers hold up nobody", async (rig) => {
  const fleet = await rig.fleet();
  const large = "x".repeat(2_500_000);
  const fake = fakeCli({
    turns: [[...flood(150), { say: large }, "done"]],
    record: false,
  });
  const job = await fleet.submit(`Look: ${large}`, {
    options: { cliPath: fake.cliPath },
  });
  // One that stalls.
  const stalled = job.messages().getReader();
  await fleet.work();
  await stalled.read();
  await Promise.all(
    Array.from({ length: 100 }, async () => {
      let next = 4;
      for await (const { seq } of job.messages({ from: 4 })) {
        assert.equal(seq, next++);
        if (next === 120) break;
      }
      assert.equal(next, 120);
    }),
  );
  const messages = await all(job.messages());
  assert.deepEqual(
    messages.map(({ seq }) => seq),
    messages.map((_, at) => at + 1),
  );
  assert.ok(
    messages.some(({ message }) =>
      JSON.stringify(message).length > large.length
    ),
  );
  await stalled.cancel();
});

test("A session is taken up by another attempt where it was mirrored, and goes on with what was not answered", async (rig) => {
  const fleet = await rig.fleet();
  const fake = fakeCli({
    runs: [
      [["one", { wait: "forever" }]],
      "done",
    ],
  });
  const job = await fleet.submit("The task", {
    options: { cliPath: fake.cliPath },
  });
  await fleet.work();
  const reader = job.messages().getReader();
  for (let seq = 0; seq < 3; seq++) await reader.read();
  await reader.cancel();
  const { sessionId = "" } = await job.status();
  const key = { projectKey: "fleet", sessionId };
  await fleet.transcripts.append(key, [{ type: "user", uuid: "1" }]);
  process.kill(fake.runs[0]?.pid ?? 0, "SIGKILL");
  const { attempts } = await job.result();
  assert.deepEqual(attempts.map(({ resumed }) => resumed), [
    undefined,
    sessionId,
  ]);
  const [, second] = fake.runs;
  assert.ok(second?.args.some((arg) => arg.includes(sessionId)));
  const said = JSON.stringify(second?.received);
  assert.match(said, /was lost.*The task/);
});

test("With a key the server reads nothing, and a program with another one is told so", async (rig) => {
  const key = btoa("0123456789abcdef0123456789abcdef");
  const sealed = await rig.fleet({ key });
  const { cliPath } = fakeCli({ turns: ["SECRET-ANSWER"], record: false });
  const options = { cliPath, env: { TOKEN: "SECRET-TOKEN" } };
  const job = await sealed.submit("SECRET-PROMPT", { id: "s", options });
  await sealed.work();
  await job.result();
  const engine = await rig.engine();
  const seen: string[] = [];
  for await (const { value } of engine.rows([])) seen.push(latin(value));
  for (const log of ["messages", "spec", "result"]) {
    for (let after = 0;;) {
      const entry = await engine.read(["job", "s", log], after);
      if (entry === undefined) break;
      after = entry.place;
      seen.push(latin(entry.value));
    }
  }
  assert.ok(seen.length > 2);
  assert.doesNotMatch(seen.join("\n"), /SECRET/);
  for (
    const wrong of [undefined, btoa("another_key_of_thirty_two_bytes!")]
  ) {
    await assert.rejects(rig.fleet({ key: wrong }), {
      name: "FleetError",
      fault: "unreadable",
      message: /"key" has to be the same/,
    });
  }
  // Whoever writes to the server puts in what was never sealed.
  const row = await engine.get(["job", "s"]);
  const forged = new TextEncoder().encode('\0{"id":"s","state":"dead"}');
  await engine.put(["job", "s"], forged, row?.revision ?? 0);
  await assert.rejects(sealed.job("s"), { fault: "unreadable" });
});

test("Of two keys that come to a new fleet at the same time the first one counts, and nothing of the other is stored", async (rig) => {
  // Whoever only makes the streams need not have it.
  const operator = await rig.fleet();
  const sealed = await rig.fleet({
    key: btoa("0123456789abcdef0123456789abcdef"),
  });
  const other = await rig.fleet({
    key: btoa("another_key_of_thirty_two_bytes!"),
  });
  await sealed.limit("review", 2);
  for (const late of [other, operator]) {
    const refused = { fault: "unreadable", message: /"key" has to be/ };
    await assert.rejects(late.submit("x"), refused);
    await assert.rejects(late.work(), refused);
    await assert.rejects(late.limit("x", 1), refused);
  }
  await sealed.submit("x", { id: "one" });
  const jobs: string[] = [];
  for await (const { id } of sealed.jobs()) jobs.push(id);
  assert.deepEqual(jobs, ["one"]);
  assert.deepEqual([...await sealed.limits()], [["review", 2]]);
});

test("A fleet that is closed ends everything that waits", async (rig) => {
  const fleet = await rig.fleet();
  const job = await fleet.submit("x");
  const result = assert.rejects(job.result(), { name: "ClosedError" });
  const messages = assert.rejects(all(job.messages()), {
    name: "ClosedError",
  });
  const worker = await fleet.work({
    concurrency: 1,
    options: { cliPath: "/none" },
  });
  await fleet.close();
  await worker.ended;
  await Promise.all([result, messages]);
  await assert.rejects(fleet.submit("x"), { name: "ClosedError" });
  await assert.rejects(job.result(), { name: "ClosedError" });
  await assert.rejects(
    Fleet.connect({ servers: "nats://127.0.0.1:1", name: "x" }),
    { name: "FleetError", fault: "unreachable" },
  );
});

function latin(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
}
