import assert from "node:assert/strict";
import process from "node:process";
import { Fleet } from "@sluice/fleet";
import { fakeCli } from "@sluice/agent/testing";
import { flood } from "../../tests/_steps.ts";
import { all, test } from "./_fleet.ts";

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

test("Messages and prompts of any size travel, and a hundred subscribers delay no other", async (rig) => {
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

test("Another attempt resumes a mirrored session and continues with unanswered prompts", async (rig) => {
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

test("With a key the server reads nothing, and a program with another key gets an error", async (rig) => {
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
  // A writer with access to the server inserts an unsealed row.
  const row = await engine.get(["job", "s"]);
  const forged = new TextEncoder().encode('\0{"id":"s","state":"dead"}');
  await engine.put(["job", "s"], forged, row?.revision ?? 0);
  await assert.rejects(sealed.job("s"), { fault: "unreadable" });
});

test("Of two keys that come to a new fleet at the same time the first one counts, and nothing of the other is stored", async (rig) => {
  // A program that only creates the streams needs no key.
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
