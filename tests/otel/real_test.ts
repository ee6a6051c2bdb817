import assert from "node:assert/strict";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import {
  BasicTracerProvider,
  BatchSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { type JsonObject, query } from "@sluice/agent";
import { telemetry } from "@sluice/agent/otel";
import { realTest } from "../e2e/_real.ts";
import { collector, type WireSpan } from "./_collector.ts";

realTest(
  "The real CLI's spans and ours are one trace, with subagents below their tool call",
  [
    {
      tool: "Agent",
      input: {
        description: "Look",
        prompt: "Look around",
        subagent_type: "helper",
        run_in_background: false,
      },
    },
    { tool: "mcp__own__look", input: {}, match: { system: "HELPER" } },
    { text: "Seen.", match: { system: "HELPER" } },
    "All done.",
  ],
  async ({ options }) => {
    const receiver = await collector();
    const provider = new BasicTracerProvider({
      spanProcessors: [
        new BatchSpanProcessor(
          new OTLPTraceExporter({ url: `${receiver.url}/v1/traces` }),
        ),
      ],
    });
    const traces: unknown[] = [];
    const own = new McpServer({ name: "own", version: "1.0.0" });
    own.registerTool("look", {}, (extra: { _meta?: JsonObject }) => {
      traces.push(extra._meta?.traceparent);
      return { content: [] };
    });
    const agent = telemetry({
      tracer: provider.getTracer("test"),
      agentName: "helper",
    });
    const { DISABLE_TELEMETRY: _, ...env } = options.env;
    const conversation = query(
      "Go",
      agent.options({
        ...options,
        env: {
          ...env,
          CLAUDE_CODE_ENABLE_TELEMETRY: "1",
          CLAUDE_CODE_ENHANCED_TELEMETRY_BETA: "1",
          OTEL_TRACES_EXPORTER: "otlp",
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
        },
        agents: {
          helper: { description: "Helps", prompt: "You are the HELPER." },
        },
        // Without it the CLI keeps the last answer of a subagent to itself.
        forwardSubagentText: true,
        mcpServers: { own },
        permissions: { canUseTool: () => ({ behavior: "allow" }) },
        hooks: { SubagentStart: [{ hooks: [() => ({})] }] },
      }),
    );
    assert.equal(await conversation.text(), "All done.");
    await conversation.close();
    await provider.shutdown();
    const interaction = await receiver.span("claude_code.interaction");
    const { spans } = receiver;
    await receiver.close();

    assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1);
    const one = (name: string): WireSpan => {
      const found = spans.filter((span) => span.name === name);
      assert.equal(found.length, 1, name);
      return found[0] as WireSpan;
    };
    const root = one("invoke_agent helper");
    assert.equal(interaction.parentSpanId, root.spanId);
    const chain = [
      ["invoke_agent helper", "turn"],
      ["turn", "execute_tool Agent"],
      ["execute_tool Agent", "hook SubagentStart"],
      ["execute_tool Agent", "execute_tool mcp__own__look"],
      ["execute_tool mcp__own__look", "permission mcp__own__look"],
      ["execute_tool mcp__own__look", "tools/call look"],
    ] as const;
    for (const [outer, inner] of chain) {
      assert.equal(one(inner).parentSpanId, one(outer).spanId, inner);
    }
    const { traceId, spanId } = one("tools/call look");
    assert.deepEqual(traces, [`00-${traceId}-${spanId}-01`]);
    const chats = spans.filter(({ name }) => name.startsWith("chat "));
    assert.deepEqual(
      chats.map(({ parentSpanId }) => parentSpanId).sort(),
      [
        ...[one("turn").spanId, one("turn").spanId],
        ...[one("execute_tool Agent").spanId, one("execute_tool Agent").spanId],
      ].sort(),
    );
  },
);
