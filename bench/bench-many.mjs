// Measures many conversations that are started at once, in one process.
//   node bench-many.mjs --peer=official [--conversations=100] [--fake=n=20]
import process from "node:process";
import { args, FAKE, report } from "./lib/common.mjs";
import { SCENARIOS } from "./lib/scenarios.mjs";

const peerName = args.peer ?? "official";
const peer = await import(
  new URL(`./peers/${peerName}.mjs`, import.meta.url).href
);
const count = Number(args.conversations ?? 100);
const fake = SCENARIOS.many + (args.fake ? `,${args.fake}` : "");

let firsts = 0, firstMs = 0, messages = 0;
const start = performance.now();
await Promise.all(Array.from({ length: count }, async () => {
  const conversation = peer.open({
    cli: FAKE,
    env: { FAKECLI: fake },
    cwd: process.cwd(),
    prompt: "hi",
    partial: true,
  });
  let isFirst = true;
  for await (const { type } of conversation.messages) {
    if (isFirst && ++firsts === count) firstMs = performance.now() - start;
    isFirst = false;
    if (type === "stream_event") messages++;
  }
}));
report({ bench: "many", peer: peerName, count, firstMs, digest: messages });
process.exit(0);
