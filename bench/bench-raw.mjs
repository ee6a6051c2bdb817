// Physical limits: the fewest steps between the pipe and the consumer.
//   FAKECLI=mode=stream,n=200000,size=250,kind=delta \
//     node bench-raw.mjs --source=cp --frame=cut-td --deliver=cb
// source  cp | cpweb | native | byob                  (lib/common.mjs)
// frame   see lib/framers.mjs
// deliver cb     the consumer is a function
//         agen   `for await` over an async generator that flattens batches
//         iter   `for await` over a hand-written iterator that flattens batches
import { args, openStdout, readAll, report } from "./lib/common.mjs";
import { framers } from "./lib/framers.mjs";

const source = args.source ?? "cp",
  frame = args.frame ?? "cut-td",
  deliver = args.deliver ?? "cb";
const framer = new framers[frame]();
const t0 = performance.now();
const child = openStdout(source);
const chunks = child.iterable ?? readAll(child.stream);
let tFirst = 0, n = 0, bytes = 0, nChunks = 0;

function take(c) {
  if (!tFirst) tFirst = performance.now();
  bytes += c.byteLength;
  nChunks++;
  return framer.push(c);
}
async function* batches() {
  for await (const c of chunks) {
    const b = take(c);
    if (b.length) yield b;
  }
}
async function* flatten(src) {
  for await (const b of src) for (let i = 0; i < b.length; i++) yield b[i];
}
/** One `next` that answers from the current batch without touching the source. */
function flattenByHand(src) {
  let batch = [], i = 0;
  const more = async () => {
    for (;;) {
      const r = await src.next();
      if (r.done) return { value: undefined, done: true };
      if (r.value.length) {
        batch = r.value;
        i = 1;
        return { value: batch[0], done: false };
      }
    }
  };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      return i < batch.length
        ? Promise.resolve({ value: batch[i++], done: false })
        : more();
    },
  };
}
let results = 0;
const seen = (m) => {
  n++;
  if (m.type === "result") results++;
};

if (deliver === "cb") {
  for await (const c of chunks) {
    const b = take(c);
    for (let i = 0; i < b.length; i++) seen(b[i]);
  }
} else {for await (
    const m of deliver === "agen"
      ? flatten(batches())
      : flattenByHand(batches())
  ) seen(m);}
const tEnd = performance.now();
report({
  bench: "raw",
  variant: `${source}/${frame}/${deliver}`,
  n,
  bytes,
  chunks: nChunks,
  ms: tEnd - tFirst,
  total: tEnd - t0,
});
