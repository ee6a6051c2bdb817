// A worker as a process of its own: takes its settings as JSON, says "ready", and works until it is told to end.
import process from "node:process";
import { Fleet } from "../../src/fleet/fleet.ts";

const { connect, work } = JSON.parse(process.argv[2] ?? "{}");
const fleet = await Fleet.connect(connect);
const worker = await fleet.work(work);
process.stdout.write("ready\n");
await worker.ended;
await fleet.close();
process.stdout.write("ended\n");
