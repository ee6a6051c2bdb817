import assert from "node:assert/strict";
import type { Job } from "@sluice/fleet";
import type { Logger } from "@sluice/agent";
import { fakeCli } from "@sluice/agent/testing";
import { outcomes, test } from "./_fleet.ts";

const FAILURES = {
  "Not logged in": {
    is_error: true,
    result: "Not logged in · Please run /login",
  },
  "401": { is_error: true, api_error_status: 401, result: "Invalid API key" },
  "529": { is_error: true, api_error_status: 529, result: "Overloaded" },
  "404": { is_error: true, api_error_status: 404, result: "No such model" },
} as const;

test("A result that is a failure of the API makes a dead letter after its attempts, and retry() works", async (rig) => {
  const fleet = await rig.fleet();
  const jobs = new Map<string, Job>();
  for (const [id, result] of Object.entries(FAILURES)) {
    const fake = fakeCli({
      runs: id === "529"
        ? [[{ result }], [{ result }], "done"]
        : [[{ result }], "done"],
    });
    const options = { cliPath: fake.cliPath };
    jobs.set(id, await fleet.submit("x", { id, options, maxAttempts: 2 }));
  }
  await fleet.work({ concurrency: 4 });
  for (const [id, job] of jobs) {
    await assert.rejects(job.result(), { state: "dead" }, id);
    const status = await job.status();
    // Another try with what the job brought would meet the same.
    const count = id === "529" ? 2 : 1;
    assert.deepEqual(
      outcomes(status),
      Array.from({ length: count }, () => "failed"),
      id,
    );
    assert.match(
      status.reason ?? "",
      id.startsWith("N") ? /Agent failed: Not logged in/ : RegExp(id),
    );
    await job.retry();
  }
  for (const [id, job] of jobs) {
    const { result } = await job.result();
    assert.equal(result.subtype === "success" && result.result, "done", id);
  }
});

test("A limit of turns that was reached, and an interrupt, are ends of a job", async (rig) => {
  const fleet = await rig.fleet();
  await fleet.work();
  for (const subtype of ["error_max_turns", "error_during_execution"]) {
    const { cliPath } = fakeCli({
      turns: [{ result: { is_error: true, subtype, errors: ["x"] } }],
    });
    const job = await fleet.submit("x", { options: { cliPath } });
    const { result, attempts } = await job.result();
    assert.equal(result.subtype, subtype);
    assert.deepEqual(outcomes({ attempts }), ["done"]);
  }
});

test("A worker without a CLI begins no job, except one that brings its own", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: "done", record: false });
  const jobs: Job[] = [];
  for (let at = 0; at < 20; at++) jobs.push(await fleet.submit("x"));
  const paused = warning(/takes no jobs.*no Claude Code CLI works here/);
  const without = await rig.fleet();
  await without.work({
    name: "without",
    concurrency: 4,
    options: { cliPath: "/no/such/claude" },
    logger: paused.logger,
  });
  await paused.came;
  await fleet.work({
    name: "with",
    concurrency: 4,
    options: { cliPath },
  });
  for (const job of jobs) {
    const { attempts } = await job.result();
    assert.deepEqual(
      attempts.map(({ worker, outcome }) => [worker, outcome]),
      [["with", "done"]],
    );
  }
});

test("A worker without a CLI works again once there is one", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: "done", record: false });
  const own = await fleet.submit("x", { options: { cliPath } });
  // Each look reads the options anew.
  const options: { cliPath: string | readonly string[] } = {
    cliPath: "/no/such/claude",
  };
  const paused = warning(/takes no jobs/);
  await fleet.work({ options, logger: paused.logger });
  await own.result().catch(() => {});
  const job = await fleet.submit("x");
  await paused.came;
  assert.equal((await job.status()).attempts.length, 0);
  options.cliPath = cliPath;
  assert.deepEqual(outcomes(await job.result()), ["done"]);
});

test("A worker without a login leaves its jobs to others", async (rig) => {
  const fleet = await rig.fleet();
  const bad = fakeCli({
    turns: { result: FAILURES["Not logged in"] },
  });
  const good = fakeCli({ turns: "done", record: false });
  const jobs: Job[] = [];
  for (let at = 0; at < 30; at++) {
    jobs.push(await fleet.submit("x", { maxAttempts: 10 }));
  }
  const paused = warning(/takes no jobs for (\d+) ms.*Not logged in/, 3);
  const without = await rig.fleet();
  await without.work({
    name: "without",
    options: { cliPath: bad.cliPath },
    logger: paused.logger,
  });
  const [first = 0, , third = 0] = (await paused.came).map(Number);
  assert.ok(first >= 500 && first <= 1_000, `${first}`);
  assert.ok(third >= 2_000 && third <= 4_000, `${third}`);
  const taken = bad.runs.length;
  await fleet.work({ concurrency: 4, options: { cliPath: good.cliPath } });
  for (const job of jobs) await job.result();
  assert.equal(taken, 3);
});

test("A job that no worker can do for want of a login is a dead letter after its attempts", async (rig) => {
  const fleet = await rig.fleet();
  const { cliPath } = fakeCli({ turns: { result: FAILURES["401"] } });
  await fleet.work({ options: { cliPath } });
  const job = await fleet.submit("x", { maxAttempts: 2 });
  await assert.rejects(job.result(), {
    state: "dead",
    message: /401 from the API: Invalid API key/,
  });
  assert.deepEqual(outcomes(await job.status()), ["failed", "failed"]);
});

/** A logger, and the first group of a warning each time it came, once it came so often. */
function warning(
  like: RegExp,
  times = 1,
): { readonly logger: Logger; readonly came: Promise<readonly string[]> } {
  const found: string[] = [];
  let come = (_found: readonly string[]) => {};
  const came = new Promise<readonly string[]>((resolve) => come = resolve);
  const none = () => {};
  const warn = (text: string) => {
    const match = like.exec(text);
    if (match !== null && found.push(match[1] ?? "") === times) come(found);
  };
  return { logger: { debug: none, info: none, warn, error: none }, came };
}
