import assert from "node:assert/strict";
import process from "node:process";
import { context, trace, TraceFlags } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  type AgentOptions,
  Client,
  type Launch,
  Pool,
  query,
} from "@sluice/agent";
import { query as officialQuery } from "@sluice/agent/compat";
import { Deferred } from "@sluice/agent/extend";
import { test } from "../_harness.ts";

const TRACE_ID = "0af7651916cd43dd8448eb211c80319c";
const SPAN_ID = "b7ad6b7169203331";
const PARENT = `00-${TRACE_ID}-${SPAN_ID}-01`;

/** Runs something inside a span, in a program that has the API of OpenTelemetry. */
async function inSpan(
  span: {
    readonly traceId?: string;
    readonly spanId?: string;
    readonly traceFlags?: number;
    readonly state?: string;
  },
  body: () => Promise<void>,
): Promise<void> {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const { state, ...given } = span;
  const active = trace.wrapSpanContext({
    traceId: TRACE_ID,
    spanId: SPAN_ID,
    traceFlags: TraceFlags.SAMPLED,
    ...given,
    ...state !== undefined &&
      { traceState: { serialize: () => state } as never },
  });
  try {
    await context.with(trace.setSpan(context.active(), active), body);
  } finally {
    context.disable();
    manager.disable();
  }
}

/** The variables that a conversation gives its CLI. */
async function variables(
  start: (options: AgentOptions) => unknown,
  options: AgentOptions = {},
): Promise<Record<string, string>> {
  const launched = new Deferred<Launch>();
  const started = start({
    ...options,
    transport: {
      open(launch) {
        launched.resolve(launch);
        return Promise.reject(new Error("Seen enough"));
      },
    },
  });
  const { env } = await launched.promise;
  await Promise.resolve(started).catch(() => {});
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => name.startsWith("TRACE")),
  );
}

const ASKED = (options: AgentOptions) => query("Hi", options).result();

test("query() and connect() pass the active span of OpenTelemetry to the CLI", async () => {
  for (
    const start of [
      ASKED,
      (options: AgentOptions) => new Client(options).connect(),
    ]
  ) {
    assert.deepEqual(await variables(start), {});
    await inSpan({ state: "vendor=1" }, async () => {
      assert.deepEqual(await variables(start), {
        TRACEPARENT: PARENT,
        TRACESTATE: "vendor=1",
      });
    });
  }
});

test("The span is that of the call, also when it is over by the time that the CLI starts", async () => {
  let found: Promise<Record<string, string>> | undefined;
  await inSpan({}, () => {
    found = variables(ASKED);
    return Promise.resolve();
  });
  assert.deepEqual(await found, { TRACEPARENT: PARENT });
});

test("A span passes every envPolicy, and `env` overrides it", async () => {
  await inSpan({}, async () => {
    for (const envPolicy of ["inherit", "allowlist", "replace"] as const) {
      assert.deepEqual(
        await variables(ASKED, { envPolicy }),
        { TRACEPARENT: PARENT },
        envPolicy,
      );
    }
    const own = { TRACEPARENT: "00-own", TRACESTATE: "mine=1" };
    assert.deepEqual(await variables(ASKED, { env: own }), own);
    assert.deepEqual(
      await variables(ASKED, { env: { TRACEPARENT: undefined } }),
      {},
    );
  });
});

test("An inherited TRACEPARENT stays without a span, and gives way to one with its state", async () => {
  const inherited = { TRACEPARENT: "00-theirs", TRACESTATE: "theirs=1" };
  Object.assign(process.env, inherited);
  try {
    for (const envPolicy of ["inherit", "allowlist"] as const) {
      assert.deepEqual(await variables(ASKED, { envPolicy }), inherited);
    }
    await inSpan({}, async () => {
      assert.deepEqual(await variables(ASKED), { TRACEPARENT: PARENT });
    });
  } finally {
    for (const name of Object.keys(inherited)) delete process.env[name];
  }
});

for (
  const [what, span, expected] of [
    ["not sampled", { traceFlags: 0 }, `00-${TRACE_ID}-${SPAN_ID}-00`],
    ["without an id", { spanId: "0".repeat(16) }, undefined],
    ["without a trace", { traceId: "" }, undefined],
    [
      "with a trace id of another form",
      { traceId: "x\0".repeat(16) },
      undefined,
    ],
  ] as const
) {
  test(`A span ${what} becomes ${expected === undefined ? "nothing" : "a parent"}`, async () => {
    await inSpan(span, async () => {
      const { TRACEPARENT } = await variables(ASKED);
      assert.equal(TRACEPARENT, expected);
    });
  });
}

test("An API of OpenTelemetry that throws disturbs nothing", async () => {
  const api = Symbol.for("opentelemetry.js.api.1");
  const before = Reflect.get(globalThis, api);
  const fail = () => {
    throw new Error("broken");
  };
  for (
    const broken of [{ context: { active: fail } }, { context: 7 }, null, {
      get context() {
        return fail();
      },
    }]
  ) {
    Reflect.set(globalThis, api, broken);
    try {
      assert.deepEqual(await variables(ASKED), {});
    } finally {
      Reflect.set(globalThis, api, before);
    }
  }
});

test("A process that a pool starts ahead is of no span", async () => {
  await inSpan({}, async () => {
    const start = (options: AgentOptions) => {
      const pool = new Pool(options);
      return pool.ready().catch(() => {}).then(() => pool.close());
    };
    assert.deepEqual(await variables(start), {});
  });
});

test("query() of ./compat passes the active span as the official SDK does", async () => {
  const seen: (Record<string, string | undefined> | undefined)[] = [];
  const start = async (env?: Record<string, string>) => {
    const running = officialQuery({
      prompt: "Hi",
      options: {
        ...env && { env },
        spawnClaudeCodeProcess: ({ env }) => {
          seen.push(env);
          throw new Error("Seen enough");
        },
      },
    });
    await running.next().catch(() => {});
  };
  await start();
  await inSpan({}, async () => {
    await start();
    await start({ TRACEPARENT: "00-own" });
  });
  assert.deepEqual(seen.map((env) => env?.["TRACEPARENT"]), [
    undefined,
    PARENT,
    "00-own",
  ]);
});
