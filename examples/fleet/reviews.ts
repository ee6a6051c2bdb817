// Review twenty repositories with the workers of a fleet, while a third program approves their tool calls.
//
//   reviews.ts worker       on each machine that runs agents; stop it with Ctrl-C
//   reviews.ts approve      on one machine; here a rule decides
//   reviews.ts submit       submits the reviews and prints the results
//
// NATS_URL is the address of the server; docs/fleet.md explains how to start one.
// deno-lint-ignore-file no-console -- an example shows what happens
import assert from "node:assert/strict";
import process from "node:process";
import { Fleet } from "@sluice/fleet";

const REPOSITORIES = Array.from({ length: 20 }, (_, at) => `service-${at + 1}`);

const { NATS_URL: servers = "nats://127.0.0.1:4222" } = process.env;
const fleet = await Fleet.connect({ servers, name: "reviews" });
const role = process.argv[2];
if (role === "worker") await work();
else if (role === "approve") await approve();
else await submit();
await fleet.close();

async function work(): Promise<void> {
  const worker = await fleet.work({ concurrency: 4 });
  console.log("works");
  await worker.ended;
}

/** Allows git and denies everything else. */
async function approve(): Promise<void> {
  const ended = new AbortController();
  process.once("SIGTERM", () => ended.abort());
  console.log("answers");
  // Open questions come first.
  for await (
    const { request, decision } of fleet.approvals.watch(ended.signal)
  ) {
    if (decision !== undefined) continue;
    const isGit = String(request.input["command"]).startsWith("git ");
    await fleet.approvals.answer(
      request.id,
      isGit
        ? { behavior: "allow" }
        : { behavior: "deny", message: "Only git, please" },
    );
  }
}

async function submit(): Promise<void> {
  const jobs = await Promise.all(
    REPOSITORIES.map((repository) =>
      fleet.submit(`Review the last commit of ${repository}.`, {
        // The same id is the same job.
        id: `review-${repository}`,
        // One job at a time per repository.
        key: repository,
        approvals: true,
        deadlineMs: 3_600_000,
      })
    ),
  );
  const workers = new Set<string>();
  for (const job of jobs) {
    const { result, attempts } = await job.result();
    assert.ok(result.subtype === "success" && !result.is_error);
    workers.add(attempts.at(-1)?.worker ?? "");
    console.log(`${job.id}: ${result.result}`);
  }
  console.log(`${jobs.length} reviews by ${workers.size} workers`);
}
