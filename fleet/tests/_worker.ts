// A worker as a process of its own, with a clock that may be wrong: takes its settings as JSON, prints "ready", and works until it is stopped.
import process from "node:process";
import { Fleet } from "@sluice/fleet";

const { connect, work, clockMs } = JSON.parse(process.argv[2] ?? "{}");
setClock(clockMs ?? 0);
const fleet = await Fleet.connect(connect);
const worker = await fleet.work(work);
process.stdout.write("ready\n");
await worker.ended;
await fleet.close();
process.stdout.write("ended\n");

/** As on a machine whose clock is wrong. */
function setClock(byMs: number): void {
  const now = Date.now;
  Date.now = () => now() + byMs;
  const value = performance.timeOrigin + byMs;
  Object.defineProperty(performance, "timeOrigin", { value });
}
