// Makes trace.svg of docs/pictures/: the spans of a run of the real CLI and of `telemetry()`, as a collector gets them. Part of
// `deno task pictures`.
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { TESTED_VERSION } from "../src/options/versions.ts";
import { telemetry } from "../src/otel/mod.ts";
import { query } from "../src/query.ts";
import { scriptedModel } from "../src/testing/scripted_model.ts";
import { collector, type WireSpan } from "../tests/otel/_collector.ts";
import { cliOf } from "./install/cli.ts";
import { ROOT, say } from "./project.ts";

const FILE = "docs/pictures/trace.svg";
const WIDTH = 1_000;
const NAMES = 400;
const MARGIN = 16;
const ROW = 22;
const INDENT = 14;
/** Milliseconds that a person thinks about a permission. */
const THINKING_MS = 300;
/** Spans of the CLI begin so. */
const OF_CLI = "claude_code.";
const STYLE =
  ".w{fill:#161b22;stroke:#30363d}.t{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e6edf3}" +
  ".dim{fill:#8b949e}.ours{fill:#388bfd}.theirs{fill:#56d364}";

const folder = await Deno.makeTempDir({ prefix: "sluice-trace-" });
const receiver = await collector();
const model = await scriptedModel([
  {
    tool: "Agent",
    input: {
      description: "Read the tests",
      prompt: "Find slow tests.",
      subagent_type: "general-purpose",
      run_in_background: false,
    },
    delayMs: 150,
  },
  { tool: "Bash", input: { command: "rm -rf build" }, delayMs: 150 },
  { text: "slow_test.ts waits for a clock.", delayMs: 150 },
  { text: "Use a fake clock.", delayMs: 150 },
]);
try {
  const provider = new BasicTracerProvider({
    spanProcessors: [
      new BatchSpanProcessor(
        new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` }),
      ),
    ],
  });
  const agent = telemetry({
    tracer: provider.getTracer("picture"),
    agentName: "reviewer",
  });
  const { DISABLE_TELEMETRY: _, ...env } = model.env;
  const conversation = query(
    "Which tests are slow, and why?",
    agent.options({
      cliPath: await cliOf(TESTED_VERSION, ".cli"),
      cwd: folder,
      env: {
        ...env,
        HOME: folder,
        DISABLE_TELEMETRY: undefined,
        CLAUDE_CODE_ENABLE_TELEMETRY: "1",
        CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
        OTEL_TRACES_EXPORTER: "otlp",
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      },
      forwardSubagentText: true,
      permissions: {
        canUseTool: () =>
          new Promise((resolve) =>
            setTimeout(() => resolve({ behavior: "allow" }), THINKING_MS)
          ),
      },
    }),
  );
  await conversation.text();
  await conversation.close();
  await provider.shutdown();
  await receiver.span(`${OF_CLI}interaction`);
  await Deno.writeTextFile(new URL(FILE, ROOT), pictureOf(receiver.spans));
  say(`${FILE} is new`);
} finally {
  await Promise.all([model.close(), receiver.close()]);
  await Deno.remove(folder, { recursive: true });
}

/** The spans in the order of a trace, each with its depth. */
function ordered(
  spans: readonly WireSpan[],
  parent?: WireSpan,
  depth = 0,
): readonly { readonly span: WireSpan; readonly depth: number }[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  return spans
    .filter(({ parentSpanId = "" }) =>
      parent === undefined
        ? !ids.has(parentSpanId)
        : parentSpanId === parent.spanId
    )
    .sort((a, b) => msOf(a.startTimeUnixNano) - msOf(b.startTimeUnixNano))
    .flatMap((span) => [{ span, depth }, ...ordered(spans, span, depth + 1)]);
}

function msOf(nanos: string): number {
  return Number(BigInt(nanos) / 1_000n) / 1_000;
}

/** Draws one line a span: its name, and a bar from its start to its end. */
function pictureOf(spans: readonly WireSpan[]): string {
  const rows = ordered(spans);
  const beganMs = Math.min(
    ...spans.map((one) => msOf(one.startTimeUnixNano)),
  );
  const wholeMs = Math.max(...spans.map((one) => msOf(one.endTimeUnixNano))) -
    beganMs;
  const scale = (WIDTH - NAMES - 5 * MARGIN) / wholeMs;
  const height = rows.length * ROW + 2 * MARGIN;
  const lines = rows.map(({ span, depth }, at) => {
    const y = MARGIN + at * ROW;
    const startMs = msOf(span.startTimeUnixNano) - beganMs;
    const ms = msOf(span.endTimeUnixNano) - beganMs - startMs;
    const x = NAMES + startMs * scale;
    const width = Math.max(ms * scale, 2);
    const kind = span.name.startsWith(OF_CLI) ? "theirs" : "ours";
    return `<text class="t" x="${MARGIN + depth * INDENT}" y="${
      y + 15
    }">${span.name}</text><rect class="${kind}" x="${x.toFixed(1)}" y="${
      y + 5
    }" width="${width.toFixed(1)}" height="12" rx="2"/><text class="t dim" x="${
      (x + width + 6).toFixed(1)
    }" y="${y + 15}">${Math.round(ms)} ms</text>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="A trace">
<style>${STYLE}</style>
<rect class="w" x=".5" y=".5" width="${WIDTH - 1}" height="${
    height - 1
  }" rx="8"/>
${lines.join("\n")}
</svg>
`;
}
