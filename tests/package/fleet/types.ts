import type { AgentOptions } from "@sluice/agent";
import { Fleet, type JobStatus } from "@sluice/fleet";

/** A program that submits jobs and works. */
export async function review(options: AgentOptions): Promise<JobStatus> {
  const fleet = await Fleet.connect({
    servers: "nats://host",
    name: "reviews",
  });
  await fleet.work({ concurrency: 2, options });
  const job = await fleet.submit("Review it.", { approvals: ["Bash"] });
  const { value } = await job.messages().getReader().read();
  if (value?.message.type === "result") return await job.status();
  return await job.status();
}
