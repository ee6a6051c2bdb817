// Cost of a web-standard pipeline, and its distance to the raw limit.
//   FAKECLI=mode=stream,n=200000,size=250,kind=delta node bench-webstreams.mjs --source=cpweb --pipe=naive
// pipe
//   naive     bytes | TextDecoderStream | one line per chunk | one message per chunk | for await
//   naive-hwm the same with highWaterMark 1024 on both sides of each step
//   onestep   bytes | one transform that enqueues message by message | for await
//   reader    the same read with getReader().read() instead of for await
//   batch3    bytes | TextDecoderStream | lines[] | messages[] | flatten by async generator
//   batch     bytes | messages[] | flatten by async generator
//   batch-hand    bytes | messages[] | flatten by a hand-written iterator
//   batch-stream  bytes | messages[] | ReadableStream of single messages (pull) | for await
//   batch-stream-fill  the same, but each pull enqueues the whole batch
//   pull-batch    one ReadableStream of messages[] whose pull reads, frames and parses | async generator
//   pull-hand     the same, flattened by hand
//   direct    no transform at all: reader + framer + hand-written iterator
import { args, openStdout, readAll, report } from "./lib/common.mjs";
import { framers } from "./lib/framers.mjs";
import { Readable } from "node:stream";

const source = args.source ?? "cpweb",
  pipe = args.pipe ?? "naive",
  frame = args.frame ?? "cut-td";
let tFirst = 0;
const t0 = performance.now();
const child = openStdout(source);
const decoder = () => new TextDecoderStream();
const lines = (w, r) => {
  let rest = "";
  return new TransformStream(
    {
      transform(s, ctl) {
        const parts = (rest + s).split("\n");
        rest = parts.pop();
        for (const p of parts) if (p) ctl.enqueue(p);
      },
      flush(ctl) {
        if (rest) ctl.enqueue(rest);
      },
    },
    w,
    r,
  );
};
const json = (w, r) =>
  new TransformStream(
    {
      transform(s, ctl) {
        ctl.enqueue(JSON.parse(s));
      },
    },
    w,
    r,
  );
const lineBatches = () => {
  let rest = "";
  return new TransformStream({
    transform(s, ctl) {
      const parts = (rest + s).split("\n");
      rest = parts.pop();
      if (parts.length) ctl.enqueue(parts);
    },
  });
};
const jsonBatches = () =>
  new TransformStream({
    transform(parts, ctl) {
      for (let i = 0; i < parts.length; i++) parts[i] = JSON.parse(parts[i]);
      ctl.enqueue(parts);
    },
  });
const messageBatches = () => {
  const f = new framers[frame]();
  return new TransformStream({
    transform(c, ctl) {
      const b = f.push(c);
      if (b.length) ctl.enqueue(b);
    },
  });
};
const oneStep = () => {
  const f = new framers[frame]();
  return new TransformStream({
    transform(c, ctl) {
      const b = f.push(c);
      for (let i = 0; i < b.length; i++) ctl.enqueue(b[i]);
    },
  });
};
async function* flatten(stream) {
  for await (const b of readAll(stream)) {
    for (let i = 0; i < b.length; i++) yield b[i];
  }
}
function byHand(reader) {
  let batch = [], i = 0;
  const more = async () => {
    for (;;) {
      const r = await reader.read();
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
const iter = (s) => s[Symbol.asyncIterator] ? s : readAll(s);

const src = child.stream ?? Readable.toWeb(child.node);
const big = { highWaterMark: 1024 };
let messages;
switch (pipe) {
  case "naive":
    messages = iter(
      src.pipeThrough(decoder()).pipeThrough(lines()).pipeThrough(json()),
    );
    break;
  case "naive-hwm":
    messages = iter(
      src.pipeThrough(decoder()).pipeThrough(lines(big, big)).pipeThrough(
        json(big, big),
      ),
    );
    break;
  case "onestep":
    messages = iter(src.pipeThrough(oneStep()));
    break;
  case "reader":
    messages = readAll(src.pipeThrough(oneStep()));
    break;
  case "batch3":
    messages = flatten(
      src.pipeThrough(decoder()).pipeThrough(lineBatches()).pipeThrough(
        jsonBatches(),
      ),
    );
    break;
  case "batch":
    messages = flatten(src.pipeThrough(messageBatches()));
    break;
  case "batch-hand":
    messages = byHand(src.pipeThrough(messageBatches()).getReader());
    break;
  case "batch-stream":
  case "batch-stream-fill": {
    const reader = src.pipeThrough(messageBatches()).getReader();
    const it = byHand(reader);
    messages = iter(
      pipe === "batch-stream"
        ? new ReadableStream({
          async pull(ctl) {
            const r = await it.next();
            r.done ? ctl.close() : ctl.enqueue(r.value);
          },
        }, { highWaterMark: 0 })
        : new ReadableStream({
          async pull(ctl) {
            const r = await reader.read();
            if (r.done) ctl.close();
            else for (const m of r.value) ctl.enqueue(m);
          },
        }, { highWaterMark: 0 }),
    );
    break;
  }
  case "pull-batch":
  case "pull-hand": {
    const f = new framers[frame](), reader = src.getReader();
    const batches = new ReadableStream({
      async pull(ctl) {
        for (;;) {
          const r = await reader.read();
          if (r.done) return ctl.close();
          const b = f.push(r.value);
          if (b.length) return ctl.enqueue(b);
        }
      },
      cancel: (why) => reader.cancel(why),
    }, { highWaterMark: 0 });
    messages = pipe === "pull-batch"
      ? flatten(batches)
      : byHand(batches.getReader());
    break;
  }
  case "direct": {
    const f = new framers[frame](), reader = src.getReader();
    messages = byHand({
      async read() {
        const r = await reader.read();
        if (r.done) return r;
        return { value: f.push(r.value), done: false };
      },
    });
    break;
  }
  default:
    throw new Error(`unknown pipe ${pipe}`);
}
let n = 0, results = 0;
for await (const m of messages) {
  if (!n++) tFirst = performance.now();
  if (m.type === "result") results++;
}
const end = performance.now();
report({
  bench: "webstreams",
  variant: `${source}/${pipe}${frame === "cut-td" ? "" : "/" + frame}`,
  n,
  ms: end - tFirst,
  total: end - t0,
});
