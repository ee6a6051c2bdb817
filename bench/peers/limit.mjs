// deno-lint-ignore-file explicit-module-boundary-types -- plain JavaScript
// Peer adapter: the least an SDK can do and still keep the rules of the API
// document. It is what the other peers are divided by and the proof that the
// goals can be reached; it is not meant for use.
//   LIMIT_WINDOW   bytes of unread messages read ahead (8 MiB; 0: pull only)
//   LIMIT_SOURCE   cp | native | byob       how the child is started and read
//   LIMIT_FRAME    hybrid | rope | adaptive (lib/framers.mjs)
//   LIMIT_HOLD     raw | parsed             what read-ahead keeps
//   LIMIT_CHECK    0: skip the envelope check
import process from "node:process";
import { spawn } from "node:child_process";
import { setImmediate } from "node:timers";
import { framers, mustParse } from "../lib/framers.mjs";
import { envelope } from "../lib/envelope.mjs";
import { runtime } from "../lib/common.mjs";

export const name = "limit";
export const importMs = 0;
const WINDOW = Number(process.env.LIMIT_WINDOW ?? 8 << 20);
const FRAME = process.env.LIMIT_FRAME ?? "adaptive";
const SOURCE = process.env.LIMIT_SOURCE ??
  { node: "cp", bun: "native", deno: "byob" }[runtime];
const RAW = process.env.LIMIT_HOLD !== "parsed";
const CHECK = process.env.LIMIT_CHECK !== "0";
const FLAGS = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
  "--setting-sources=",
];

// Not ChildProcess.kill(): in Deno its second call does nothing.
const signal = (pid, s) => {
  try {
    process.kill(pid, s);
  } catch { /* gone */ }
};

function start(cli, argv, env, cwd, stderr) {
  const all = { ...process.env, ...env };
  if (SOURCE === "cp") {
    const p = spawn(cli, argv, {
      cwd,
      env: all,
      stdio: ["pipe", "pipe", "pipe"],
    });
    if (stderr) p.stderr.on("data", stderr);
    else p.stderr.resume();
    p.stdin.on("error", () => {});
    const it = p.stdout[Symbol.asyncIterator]();
    return {
      write: (s) => void p.stdin.write(s),
      end: () => p.stdin.end(),
      next: () => it.next(),
      kill: (s) => signal(p.pid, s),
      exited: new Promise((r) => p.on("exit", r)),
    };
  }
  const drain = async (s) => {
    for await (const c of s) stderr?.(c);
  };
  if (runtime === "bun") {
    const p = Bun.spawn([cli, ...argv], {
      cwd,
      env: all,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    drain(p.stderr);
    const r = p.stdout.getReader();
    return {
      write: (s) => {
        p.stdin.write(s);
        p.stdin.flush();
      },
      end: () => p.stdin.end(),
      next: () => r.read(),
      kill: (s) => p.kill(s),
      exited: p.exited,
    };
  }
  const p = new Deno.Command(cli, {
    args: argv,
    cwd,
    env: all,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  drain(p.stderr);
  const w = p.stdin.getWriter(), enc = new TextEncoder();
  const child = {
    write: (s) => void w.write(enc.encode(s)),
    end: () => w.close(),
    kill: (s) => p.kill(s),
    exited: p.status,
  };
  if (SOURCE === "byob") {
    const r = p.stdout.getReader({ mode: "byob" });
    let spare = new ArrayBuffer(65536);
    return {
      ...child,
      reused: true,
      next: async () => {
        const x = await r.read(new Uint8Array(spare));
        if (!x.done) spare = x.value.buffer;
        return x;
      },
    };
  }
  const r = p.stdout.getReader();
  return { ...child, next: () => r.read() };
}

export function open(
  {
    cli,
    env,
    cwd,
    prompt,
    partial,
    canUseTool,
    hook,
    mcp,
    stderr,
    shutdown = { graceMs: 50, killMs: 150 },
    maxMessageBytes = 32 << 20,
  },
) {
  const argv = [
    ...FLAGS,
    ...(partial ? ["--include-partial-messages"] : []),
    ...(canUseTool ? ["--permission-prompt-tool=stdio"] : []),
  ];
  const p = start(cli, argv, env, cwd, stderr);
  const framer = new framers[FRAME](undefined, maxMessageBytes);
  let pending = "", queued = false, shut = false;
  const send = (o) => {
    pending += JSON.stringify(o) + "\n";
  };
  const flush = () => {
    if (pending) {
      p.write(pending);
      pending = "";
    }
  };
  const end = () => {
    if (!shut) {
      shut = true;
      p.end();
    }
  };
  const user = (content) => ({
    type: "user",
    session_id: "",
    parent_tool_use_id: null,
    message: { role: "user", content },
  });

  send({
    type: "control_request",
    request_id: "init",
    request: {
      subtype: "initialize",
      ...(hook && { hooks: { PreToolUse: [{ hookCallbackIds: ["hook_0"] }] } }),
      ...(mcp && { sdkMcpServers: [mcp.server] }),
    },
  });
  if (typeof prompt === "string") send(user(prompt));
  flush();
  if (typeof prompt !== "string") {
    (async () => {
      for await (const m of prompt) {
        send(m);
        flush();
      }
      end();
    })();
  }

  const answer = (id, response) =>
    send({
      type: "control_response",
      response: { subtype: "success", request_id: id, response },
    });
  function control(m) {
    const q = m.request;
    let r;
    if (q.subtype === "can_use_tool") r = canUseTool(q.tool_name, q.input);
    else if (q.subtype === "hook_callback") r = hook(q.input);
    else r = mcp.build(q.message);
    if (typeof r?.then !== "function") return answer(m.request_id, r);
    // All answers that settle in the same turn leave in one write.
    r.then((v) => {
      answer(m.request_id, v);
      if (!queued) {
        queued = true;
        queueMicrotask(() => {
          queued = false;
          flush();
        });
      }
    });
  }

  // Takes the control frames out of a batch, in place, and answers them: at
  // once, whether or not anybody reads the messages around them.
  function route(batch) {
    let to = 0;
    for (let i = 0; i < batch.length; i++) {
      const m = batch[i];
      if (m.type === "control_request") control(m);
      else if (m.type !== "control_response" && (!CHECK || envelope(m))) {
        if (m.type === "result" && typeof prompt === "string") end();
        batch[to++] = m;
      }
    }
    batch.length = to;
  }

  // Demand comes first: while the consumer keeps asking, one read answers one
  // ask. Only a consumer that let a turn of the event loop pass without asking
  // is read ahead of, up to WINDOW unread bytes, so that control traffic flows.
  const queue = [];
  let head = 0,
    held = 0,
    reading = false,
    ahead = false,
    ended = false,
    armed = false,
    asked = 0,
    wake;
  async function pump() {
    if (reading) return;
    reading = true;
    while (!ended && (wake || (ahead && held < WINDOW))) {
      const r = await p.next();
      if (r.done) {
        ended = true;
        wake?.(undefined);
        wake = undefined;
        break;
      }
      const piece = framer.cut(r.value);
      if (!piece) continue;
      held += piece.bytes;
      // Without a waiting consumer, a control frame or a result, the chunk stays bytes.
      if (RAW && !wake && !mustParse(piece)) {
        if (p.reused && piece.body) piece.body = piece.body.slice();
        queue.push(piece);
        continue;
      }
      piece.batch = framer.parse(piece);
      route(piece.batch);
      if (pending) flush();
      if (!piece.batch.length) {
        held -= piece.bytes;
        continue;
      }
      if (wake) {
        const w = wake;
        wake = undefined;
        held -= piece.bytes;
        w(piece.batch);
        watch();
      } else queue.push(piece);
    }
    reading = false;
  }
  function watch() {
    if (armed || ended || !WINDOW) return;
    armed = true;
    const before = asked;
    setImmediate(() => {
      armed = false;
      if (wake) return;
      if (asked !== before) return watch();
      ahead = true;
      pump();
    });
  }
  function nextBatch() {
    asked++;
    ahead = false;
    if (head < queue.length) {
      const piece = queue[head];
      queue[head++] = undefined;
      if (head === queue.length) queue.length = head = 0;
      held -= piece.bytes;
      if (!piece.batch) route(piece.batch = framer.parse(piece));
      watch();
      return piece.batch;
    }
    if (ended) return undefined;
    return new Promise((r) => {
      wake = r;
      pump();
    });
  }
  watch();

  let batch = [], i = 0;
  const more = async () => {
    do batch = await nextBatch(); while (batch && !batch.length);
    if (!batch) {
      batch = [];
      i = 0;
      return { value: undefined, done: true };
    }
    i = 1;
    return { value: batch[0], done: false };
  };
  return {
    messages: {
      [Symbol.asyncIterator]() {
        return this;
      },
      next() {
        return i < batch.length
          ? Promise.resolve({ value: batch[i++], done: false })
          : more();
      },
    },
    get batches() {
      return new ReadableStream({
        async pull(ctl) {
          const b = await nextBatch();
          if (b) ctl.enqueue(b);
          else ctl.close();
        },
      }, { highWaterMark: 0 });
    },
    // Stdin first, then SIGTERM, then SIGKILL; resolves when the child is gone.
    async close() {
      end();
      const steps = [
        setTimeout(() => p.kill("SIGTERM"), shutdown.graceMs),
        setTimeout(() => p.kill("SIGKILL"), shutdown.killMs),
      ];
      await p.exited;
      steps.forEach(clearTimeout);
    },
  };
}

export const mcpServer = ({ server, call }) => ({
  server,
  build(msg) {
    if (msg.method === "initialize") {
      return {
        mcp_response: {
          jsonrpc: "2.0",
          id: msg.id,
          result: {
            protocolVersion: "2025-06-18",
            capabilities: { tools: {} },
            serverInfo: { name: server, version: "1" },
          },
        },
      };
    }
    if (msg.id === undefined) {
      return { mcp_response: { jsonrpc: "2.0", id: 0, result: {} } };
    }
    return Promise.resolve(call(msg.params.arguments)).then((result) => ({
      mcp_response: { jsonrpc: "2.0", id: msg.id, result },
    }));
  },
});
