// deno-lint-ignore-file no-console -- prints its results
// Runs a suite: every job once per round, interleaved, and prints medians.
//   node run.mjs raw|web|peers|memory|start [--rounds=5] [--only=regex] [--runtimes=node,bun,deno]
//                [--scenarios=small,perm64] [--peers=limit,official] [--fake=n=1000] [--take=batches] [--json=file]
import process from "node:process";
import { writeFileSync } from "node:fs";
import { haveRuntimes, median, runJob } from "./lib/jobs.mjs";
import { SCENARIOS } from "./lib/scenarios.mjs";

const suite = process.argv[2];
const opt = Object.fromEntries(
  process.argv.slice(3).map((a) => a.replace(/^--/, "").split(/=(.*)/s)),
);
const rounds = Number(opt.rounds ?? 5);
const runtimes = haveRuntimes((opt.runtimes ?? "node,bun,deno").split(","));
if (!runtimes.length) throw new Error("no runtime to measure in");

const sources = {
  node: ["cp", "cpweb"],
  bun: ["native", "cp", "cpweb"],
  deno: ["byob", "native", "cp", "cpweb"],
};
const jobs = [];
const add = (group, key, rt, script, argv, fake, base) =>
  jobs.push({ group, key, rt, script, argv, fake, base });

if (suite === "raw") {
  const frames = [
    "bytes",
    "split-parse",
    "bufline-parse",
    "tdline-parse",
    "cut-td",
    "cut-block",
    "rope",
    "hybrid",
    "adaptive",
  ];
  for (const s of (opt.scenarios ?? "small,medium").split(",")) {
    for (const rt of runtimes) {
      const best = sources[rt][0], base = `${best}/cut-td/cb`;
      const one = (src, f, d) =>
        add(
          `${s}/${rt}`,
          `${src}/${f}/${d}`,
          rt,
          "bench-raw.mjs",
          [`--source=${src}`, `--frame=${f}`, `--deliver=${d}`],
          SCENARIOS[s],
          base,
        );
      for (const f of frames) {
        one(best, f, "cb");
      }
      for (const src of sources[rt].slice(1)) one(src, "cut-td", "cb");
      for (const d of ["agen", "iter"]) one(best, "cut-td", d);
    }
  }
} else if (suite === "web") {
  const pipes = [
    "naive",
    "naive-hwm",
    "onestep",
    "reader",
    "batch3",
    "batch",
    "batch-hand",
    "batch-stream",
    "batch-stream-fill",
    "pull-batch",
    "pull-hand",
    "direct",
  ];
  for (const s of (opt.scenarios ?? "small,medium").split(",")) {
    for (const rt of runtimes) {
      const raw = rt === "node" ? "cp" : "native",
        src = rt === "node" ? "cpweb" : "native";
      add(
        `${s}/${rt}`,
        "raw",
        rt,
        "bench-raw.mjs",
        [`--source=${raw}`, "--frame=cut-td"],
        SCENARIOS[s],
        "raw",
      );
      for (const p of pipes) {
        add(
          `${s}/${rt}`,
          p,
          rt,
          "bench-webstreams.mjs",
          [`--source=${src}`, `--pipe=${p}`],
          SCENARIOS[s],
          "raw",
        );
      }
    }
  }
} else if (suite === "peers" || suite === "memory" || suite === "start") {
  const peers = (opt.peers ?? "limit,official").split(",");
  const scenarios = (opt.scenarios ?? {
    peers:
      "small,smallutf8,medium,mediumutf8,large,perm1,perm64,hook1,hook64,mcp1,mcp64,permbusy,echo,paced,stderr",
    memory: "slow,stall,single,linger1,linger2",
    start: "start",
  }[suite]).split(",");
  for (const s of scenarios) {
    for (const rt of runtimes) {
      for (const p of peers) {
        if (!SCENARIOS[s]) throw new Error(`no scenario ${s}`);
        const more = [
          ...(opt.fake ? [`--fake=${opt.fake}`] : []),
          ...(opt.take ? [`--take=${opt.take}`] : []),
        ];
        add(
          `${s}/${rt}`,
          p,
          rt,
          "bench-peer.mjs",
          [`--peer=${p}`, `--scenario=${s}`, ...more],
          "",
          peers[0],
        );
      }
    }
  }
} else {
  console.error(
    "usage: node run.mjs raw|web|peers|memory|start [options]; see README.md",
  );
  process.exit(64);
}

const rows = new Map();
const wanted = jobs.filter((j) =>
  !opt.only || new RegExp(opt.only).test(`${j.group}:${j.key}`)
);
for (let r = 0; r < rounds; r++) {
  for (const j of wanted) {
    const k = `${j.group}:${j.key}`;
    if (!rows.has(k)) rows.set(k, { ...j, runs: [] });
    rows.get(k).runs.push(await runJob(j));
  }
}

const f = (x, d = 0) => Number.isNaN(x) ? "-" : x.toFixed(d);
const groups = new Map();
for (const r of rows.values()) {
  groups.set(r.group, [...(groups.get(r.group) ?? []), r]);
}
const summary = [];
const EXTRA = [
  "wall_us",
  "p50_us",
  "p99_us",
  "max_us",
  "failed",
  "lag50",
  "lag99",
  "rtt50",
  "rtt99",
  "stalledRss",
  "stderrBytes",
  "endMs",
  "orphan",
  "first",
  "importMs",
  "tail",
];
for (const [g, list] of groups) {
  console.log(
    `\n### ${g}\n| variant | ms | messages or requests per s | time / base | cpu ms | cpu / base | peak RSS MB | more |\n|---|---|---|---|---|---|---|---|`,
  );
  const base = list.find((r) => r.key === r.base) ?? list[0];
  for (const r of list) {
    const m = (k) => median(r.runs.map((x) => x[k])),
      b = (k) => median(base.runs.map((x) => x[k]));
    const extra = EXTRA.filter((k) =>
      !Number.isNaN(m(k)) &&
      (suite !== "peers" || !["first", "importMs", "tail"].includes(k))
    ).map((k) => `${k}=${f(m(k), 1)}`);
    const wrong = r.runs.find((x) => x.error);
    if (wrong) extra.push("ERROR " + wrong.error);
    else if (
      r.runs[0].digest !== undefined && r.runs[0].digest !== base.runs[0].digest
    ) extra.push("OTHER MESSAGES than " + base.key);
    console.log(
      `| ${r.key} | ${f(m("ms"))} | ${
        f((m("requests") || m("n")) / m("ms") * 1000)
      } | ${f(m("ms") / b("ms"), 2)} | ${f(m("cpu"))} | ${
        f(m("cpu") / b("cpu"), 2)
      } | ${f(m("rss"))} | ${extra.join(" ")} |`,
    );
    summary.push({
      group: g,
      key: r.key,
      ms: m("ms"),
      n: m("n"),
      cpu: m("cpu"),
      rss: m("rss"),
      runs: r.runs,
    });
  }
}
if (opt.json) writeFileSync(opt.json, JSON.stringify(summary, null, 1));
