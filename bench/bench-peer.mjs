// Runs one scenario against one peer in this process and prints one JSON line.
//   node bench-peer.mjs --peer=official --scenario=small [--fake=n=1000,series=7]
//                       [--take=iterate|batches|stream]
import process from "node:process";
import { args, FAKE, peakRss, report } from "./lib/common.mjs";
import { SCENARIOS } from "./lib/scenarios.mjs";

const peerName = args.peer ?? "official",
  scenario = args.scenario ?? "small",
  take = args.take ?? "iterate";
const peer = await import(
  new URL(`./peers/${peerName}.mjs`, import.meta.url).href
);

const fake = SCENARIOS[scenario] + (args.fake ? "," + args.fake : "");
const setting = (k) =>
  Number([...fake.matchAll(new RegExp(`(?:^|,)${k}=(\\d+)`, "g"))].pop()?.[1]);
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
const quantile = (a, q) =>
  a.sort((x, y) => x - y)[Math.min(a.length - 1, Math.floor(a.length * q))];

const row = {
  bench: "peer",
  peer: peerName,
  scenario,
  importMs: peer.importMs,
};
const lingers = /^linger/.test(scenario);
const open = {
  cli: FAKE,
  env: { FAKECLI: fake },
  cwd: process.cwd(),
  prompt: "hi",
  partial: true,
};
if (lingers) {
  open.shutdown = {
    graceMs: Number(args.grace ?? 50),
    killMs: Number(args.kill ?? 150),
  };
}
if (scenario === "single") open.maxMessageBytes = 1 << 28;
if (/^perm/.test(scenario)) {
  open.canUseTool = (_tool, input) => ({
    behavior: "allow",
    updatedInput: input,
  });
}
if (/^hook/.test(scenario)) open.hook = () => ({});
if (/^mcp/.test(scenario)) {
  open.mcp = peer.mcpServer({
    server: "bench",
    tool: "echo",
    call: (a) => ({ content: [{ type: "text", text: a.text }] }),
  });
}
if (scenario === "stderr") {
  row.stderrBytes = 0;
  open.stderr = (d) => {
    row.stderrBytes += d.length;
  };
}

// A prompt that hands out one user message per call of `turn`.
let turn, turnsLeft = setting("n");
if (scenario === "echo") {
  let wake;
  turn = () => wake?.();
  open.prompt = (async function* () {
    while (turnsLeft-- > 0) {
      yield {
        type: "user",
        session_id: "",
        parent_tool_use_id: null,
        message: { role: "user", content: "turn" },
      };
      await new Promise((r) => {
        wake = r;
      });
    }
  })();
}

// Length of the text a consumer would show: read for every message, so that
// no peer gains by not parsing, and compared between the peers.
function weight(m) {
  switch (m.type) {
    case "stream_event":
      return m.event.delta?.text?.length ?? 1;
    case "assistant":
    case "user": {
      const b = m.message.content[0];
      return b.text?.length ?? b.content?.length ??
        (b.input?.old_string?.length ?? 0) + b.id.length;
    }
    case "system":
      return m.note?.length ?? m.subtype.length;
    default:
      return m.type.length;
  }
}

const t0 = performance.now();
const s = peer.open(open);
let tFirst = 0, tEnd = 0, n = 0, digest = 0, result, pid, last = t0;
const lag = [], rtt = [];
const seen = (m) => {
  if (m.type === "system" && m.subtype === "session_state_changed") return;
  n++;
  digest = (Math.imul(digest, 31) + weight(m)) | 0;
  if (!tFirst) {
    tFirst = performance.now();
    if (scenario === "stall") row.stalledRss = peakRss();
  }
  if (m.fakecli_pid) pid = m.fakecli_pid;
  if (scenario === "paced" && m.type === "stream_event") {
    lag.push(
      (performance.timeOrigin + performance.now()) * 1000 -
        Number(m.event.delta.text),
    );
  }
  if (m.type === "result") {
    tEnd = performance.now();
    result = m;
  }
};
if (scenario === "stall") await sleep(Number(args.stall ?? 3000));
if (take === "batches") {
  for (const r = s.batches.getReader();;) {
    const { value, done } = await r.read();
    if (done) break;
    for (let i = 0; i < value.length; i++) seen(value[i]);
  }
} else {for await (const m of take === "stream" ? s.stream : s.messages) {
    seen(m);
    if (scenario === "slow") await sleep(1);
    // A consumer that is busy while the CLI asks: the answers must not wait for it.
    else if (scenario === "permbusy" && n === 1) await sleep(1500);
    else if (m.type === "result") {
      if (scenario === "echo") {
        rtt.push(tEnd - last);
        last = tEnd;
        if (rtt.length >= setting("n")) break;
        turn();
      } else if (lingers) break;
    }
  }}
const tDone = performance.now();
turn?.();
if (lingers || scenario === "echo") {
  await Promise.race([s.close(), sleep(20000)]);
  row.endMs = performance.now() - tEnd; // from the result to the end of close()
}
Object.assign(row, {
  n,
  digest,
  ms: (tEnd || tDone) - tFirst,
  first: tFirst - t0,
  tail: tDone - tEnd,
});
if (lag.length) {
  Object.assign(row, { lag50: quantile(lag, 0.5), lag99: quantile(lag, 0.99) });
}
if (rtt.length) {
  Object.assign(row, {
    rtt50: quantile(rtt.slice(100), 0.5) * 1000,
    rtt99: quantile(rtt.slice(100), 0.99) * 1000,
  });
}
try {
  const r = JSON.parse(result.result);
  Object.assign(row, r, { n, requests: r.n });
} catch { /* not a request mode */ }
if (lingers) {
  // 1: the CLI outlived the call that was to end it, and would outlive a host that exits now.
  await sleep(100);
  try {
    process.kill(pid, 0);
    row.orphan = 1;
    process.kill(pid, "SIGKILL");
  } catch {
    row.orphan = 0;
  }
}
report(row);
// Nothing that lingers may decide how long this process lives.
process.exit(0);
