// deno-lint-ignore-file no-console -- prints its result
// Measures what telemetry() of ./otel costs a stream of deltas: the same output, in this process, read with it and
// without it, in turns. Prints one JSON line.
//   node bench-otel.mjs --peer=sluice --messages=400000 --rounds=15
// SLUICE_MODULE and SLUICE_OTEL (or SLUICE_MODULE_NODE, ...): the entries. --off compares two runs without telemetry.
import process from "node:process";
import { args, loadOwn, runtime } from "./lib/common.mjs";
import {
  chunksOf,
  comparePairs,
  deltaLine,
  playing,
  resultLine,
} from "./lib/pairs.mjs";

const messages = Number(args.messages ?? 400_000);
const rounds = Number(args.rounds ?? 15);
const { query } = await loadOwn("SLUICE_MODULE");
const { telemetry } = await loadOwn("SLUICE_OTEL");

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const transport = playing(chunksOf(lines()));
let spans = 0;
const span = {
  spanContext: () => ({
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    traceFlags: 1,
  }),
  setAttributes() {},
  addEvent() {},
  setStatus() {},
  end: () => spans++,
};
const instrument = { add() {}, record() {} };
const agent = telemetry({
  tracer: { startSpan: () => span },
  meter: {
    createHistogram: () => instrument,
    createCounter: () => instrument,
    createUpDownCounter: () => instrument,
    createGauge: () => instrument,
  },
});

const { percent, percentFrom, percentTo, ...times } = await comparePairs(
  rounds,
  read,
);
if (args.off === undefined && spans === 0) throw new Error("No spans");
console.log(JSON.stringify({
  bench: "otel",
  runtime,
  ...times,
  otelPercent: percent,
  otelPercentFrom: percentFrom,
  otelPercentTo: percentTo,
}));
process.exit(0);

/** Reads all of it. */
async function read(isOn) {
  const options = { transport };
  const conversation = query(
    "x",
    isOn && args.off === undefined ? agent.options(options) : options,
  );
  let count = 0;
  for await (const _ of conversation) count++;
  await conversation.close();
  if (count !== messages + 1) throw new Error(`${count} messages`);
}

/** Deltas, and a result. */
function* lines() {
  for (let at = 0; at < messages; at++) {
    yield deltaLine(`some words of ${at}`, ID, at);
  }
  yield resultLine(ID);
}
