// deno-lint-ignore-file no-console -- prints its results
// Cost of checking a message on top of JSON.parse, per message type.
//   node bench-validate.mjs [--ms=150]     (bun, deno run -A likewise)
// TypeBox (@sinclair/typebox) and zod come from BENCH_MODULES.
import { args, FAKE, importFrom, runtime } from "./lib/common.mjs";
import { envelope } from "./lib/envelope.mjs";
import { execFileSync } from "node:child_process";

const timed = async (pkg, file) => {
  const t = performance.now();
  const m = await importFrom(pkg, file);
  return [m, performance.now() - t];
};
const [{ Type }, tbMs] = await timed(
  "@sinclair/typebox",
  "build/esm/index.mjs",
);
const [{ TypeCompiler }, tcMs] = await timed(
  "@sinclair/typebox",
  "build/esm/compiler/index.mjs",
);
const [{ z }, zMs] = await timed("zod", "v4/index.js");
const emit = (fake) =>
  execFileSync(FAKE, ["-p", "hi"], {
    env: { FAKECLI: fake },
    maxBuffer: 1 << 28,
  }).toString().trim().split("\n");
const mix = emit("mode=stream,n=2000,size=2048,kind=mix,utf8=10");
const small = emit("mode=stream,n=2000,size=250,kind=delta").slice(1, -1);
const pick = (re) => mix.filter((l) => re.test(l));
const samples = {
  "stream_event 250B": small,
  "assistant text 2KB": pick(
    /^\{"type":"assistant".{100,200}"content":\[\{"type":"text"/,
  ),
  "assistant tool_use 2KB": pick(
    /^\{"type":"assistant".{100,200}"content":\[\{"type":"tool_use"/,
  ),
  "user tool_result 2KB": pick(/^\{"type":"user"/),
  "system 2KB": pick(/"subtype":"status"/),
  "system init": mix.slice(0, 1),
  "result": mix.slice(-1),
};

/* TypeBox */
const T = Type,
  N = T.Number(),
  St = T.String(),
  Null = T.Null(),
  B = T.Boolean();
const id = {
  session_id: St,
  uuid: St,
  parent_tool_use_id: T.Union([St, Null]),
};
const usage = T.Object({
  input_tokens: N,
  output_tokens: N,
  cache_creation_input_tokens: T.Optional(N),
  cache_read_input_tokens: T.Optional(N),
  service_tier: T.Optional(T.Union([St, Null])),
});
const blocks = T.Union([
  T.Object({ type: T.Literal("text"), text: St }),
  T.Object({ type: T.Literal("thinking"), thinking: St, signature: St }),
  T.Object({
    type: T.Literal("tool_use"),
    id: St,
    name: St,
    input: T.Record(St, T.Unknown()),
  }),
  T.Object({
    type: T.Literal("tool_result"),
    tool_use_id: St,
    content: T.Optional(T.Union([St, T.Array(T.Object({ type: St }))])),
    is_error: T.Optional(B),
  }),
]);
const tb = {
  stream_event: T.Object({
    type: T.Literal("stream_event"),
    event: T.Object({ type: St }),
    ...id,
  }),
  assistant: T.Object({
    type: T.Literal("assistant"),
    message: T.Object({
      id: St,
      type: T.Literal("message"),
      role: T.Literal("assistant"),
      model: St,
      content: T.Array(blocks),
      stop_reason: T.Union([St, Null]),
      usage,
    }),
    ...id,
  }),
  user: T.Object({
    type: T.Literal("user"),
    message: T.Object({
      role: T.Literal("user"),
      content: T.Union([St, T.Array(blocks)]),
    }),
    ...id,
  }),
  system: T.Object({
    type: T.Literal("system"),
    subtype: St,
    session_id: St,
    uuid: St,
  }),
  result: T.Object({
    type: T.Literal("result"),
    subtype: St,
    is_error: B,
    duration_ms: N,
    num_turns: N,
    result: T.Optional(St),
    session_id: St,
    total_cost_usd: N,
    usage,
    uuid: St,
  }),
};
let t = performance.now();
const compiled = Object.fromEntries(
  Object.entries(tb).map(([k, v]) => [k, TypeCompiler.Compile(v)]),
);
const compileMs = performance.now() - t;
const union = TypeCompiler.Compile(T.Union(Object.values(tb)));

/* zod 4 */
t = performance.now();
const zid = {
  session_id: z.string(),
  uuid: z.string(),
  parent_tool_use_id: z.string().nullable(),
};
const zusage = z.looseObject({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_creation_input_tokens: z.number().optional(),
  cache_read_input_tokens: z.number().optional(),
  service_tier: z.string().nullish(),
});
const zblocks = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), text: z.string() }),
  z.looseObject({
    type: z.literal("thinking"),
    thinking: z.string(),
    signature: z.string(),
  }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.record(z.string(), z.unknown()),
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: z.union([z.string(), z.array(z.looseObject({ type: z.string() }))])
      .optional(),
    is_error: z.boolean().optional(),
  }),
]);
const zs = {
  stream_event: z.looseObject({
    type: z.literal("stream_event"),
    event: z.looseObject({ type: z.string() }),
    ...zid,
  }),
  assistant: z.looseObject({
    type: z.literal("assistant"),
    message: z.looseObject({
      id: z.string(),
      type: z.literal("message"),
      role: z.literal("assistant"),
      model: z.string(),
      content: z.array(zblocks),
      stop_reason: z.string().nullable(),
      usage: zusage,
    }),
    ...zid,
  }),
  user: z.looseObject({
    type: z.literal("user"),
    message: z.looseObject({
      role: z.literal("user"),
      content: z.union([z.string(), z.array(zblocks)]),
    }),
    ...zid,
  }),
  system: z.looseObject({
    type: z.literal("system"),
    subtype: z.string(),
    session_id: z.string(),
    uuid: z.string(),
  }),
  result: z.looseObject({
    type: z.literal("result"),
    subtype: z.string(),
    is_error: z.boolean(),
    duration_ms: z.number(),
    num_turns: z.number(),
    result: z.string().optional(),
    session_id: z.string(),
    total_cost_usd: z.number(),
    usage: zusage,
    uuid: z.string(),
  }),
};
const zunion = z.discriminatedUnion("type", Object.values(zs));
const zodBuildMs = performance.now() - t;

const checks = {
  parse: () => true,
  hand: envelope,
  "typebox by type": (m) => compiled[m.type].Check(m),
  "typebox union": (m) => union.Check(m),
  "zod by type": (m) => zs[m.type].safeParse(m).success,
  "zod union": (m) => zunion.safeParse(m).success,
};
const budget = Number(args.ms ?? 150);
function time(lines, check) {
  let n = 0, ok = 0;
  const t0 = performance.now();
  do {
    for (let i = 0; i < 200; i++) {
      if (check(JSON.parse(lines[(n + i) % lines.length]))) ok++;
    }
    n += 200;
  } while (performance.now() - t0 < budget);
  if (ok !== n) throw new Error("a valid message was refused");
  return ((performance.now() - t0) / n) * 1e6;
}
const med = (a) => a.sort((x, y) => x - y)[a.length >> 1];
console.log(
  `### ${runtime}: ns per message; import typebox ${
    tbMs.toFixed(0)
  } ms + compiler ${tcMs.toFixed(0)} ms, compile 5 schemas ${
    compileMs.toFixed(1)
  } ms; import zod ${zMs.toFixed(0)} ms, build ${zodBuildMs.toFixed(1)} ms`,
);
console.log(
  `| message | ${Object.keys(checks).join(" | ")} |\n|${
    "---|".repeat(Object.keys(checks).length + 1)
  }`,
);
for (const [name, lines] of Object.entries(samples)) {
  const got = Object.fromEntries(Object.keys(checks).map((k) => [k, []]));
  for (let r = 0; r < 5; r++) {
    for (const k of Object.keys(checks)) got[k].push(time(lines, checks[k]));
  }
  const base = med(got.parse);
  console.log(
    `| ${name} | ${base.toFixed(0)} | ${
      Object.keys(checks).slice(1).map((k) => {
        const v = med(got[k]);
        return `+${(v - base).toFixed(0)} (${(v / base).toFixed(2)}x)`;
      }).join(" | ")
    } |`,
  );
}
