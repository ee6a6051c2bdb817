// deno-lint-ignore-file no-console -- prints its result
// Measures what a copy of 100,000 entries in a store costs: the same output, in this process, read with the option
// `transcripts` and without it, in turns. Prints one JSON line.
//   node bench-mirror.mjs --peer=sluice --entries=100000 --rounds=7
// SLUICE_MODULE (or SLUICE_MODULE_NODE, ...): the root entry.
import process from "node:process";
import { args, loadOwn, runtime } from "./lib/common.mjs";
import {
  chunksOf,
  comparePairs,
  deltaLine,
  playing,
  resultLine,
} from "./lib/pairs.mjs";

const entries = Number(args.entries ?? 100_000);
const rounds = Number(args.rounds ?? 15);
const { query } = await loadOwn("SLUICE_MODULE");

const ID = "7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b11";
const transport = playing(chunksOf(lines()));

const { percent, percentFrom, percentTo, ...times } = await comparePairs(
  rounds,
  read,
);
console.log(JSON.stringify({
  bench: "mirror",
  runtime,
  ...times,
  mirrorPercent: percent,
  mirrorPercentFrom: percentFrom,
  mirrorPercentTo: percentTo,
}));
process.exit(0);

/** Reads all of it. */
async function read(isKept) {
  let kept = 0;
  const store = {
    append(_key, some) {
      kept += some.length;
      return Promise.resolve();
    },
    load: () => Promise.resolve(null),
  };
  const conversation = query("x", {
    transport,
    ...isKept && { transcripts: { store } },
  });
  let messages = 0;
  for await (const _ of conversation) messages++;
  await conversation.close();
  const wanted = isKept ? entries : 0;
  if (messages !== entries * 4 + 1 || kept !== wanted) {
    throw new Error(`${messages} messages, ${kept} entries`);
  }
}

/** Four deltas for each entry, and a result. */
function* lines() {
  for (let at = 0; at < entries; at++) {
    for (let delta = 0; delta < 4; delta++) {
      yield deltaLine(`some words of ${at}.${delta}`, ID, at);
    }
    yield JSON.stringify({
      type: "transcript_mirror",
      filePath: `/home/ada/.claude/projects/-home-ada/${ID}.jsonl`,
      entries: [{
        parentUuid: `3d0a4d3e-55b0-4b13-8f0e-${String(at).padStart(12, "0")}`,
        isSidechain: false,
        type: "assistant",
        message: {
          role: "assistant",
          content: [{ type: "text", text: "words ".repeat(40) }],
          usage: { input_tokens: 1, output_tokens: 1 },
        },
        uuid: `4d0a4d3e-55b0-4b13-8f0e-${String(at).padStart(12, "0")}`,
        timestamp: "2026-11-20T08:20:08.661Z",
        cwd: "/home/ada",
        sessionId: ID,
        version: "2.1.330",
      }],
    });
  }
  yield resultLine(ID);
}
