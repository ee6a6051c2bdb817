/**
 * Telemetry for agents: spans and metrics of OpenTelemetry, by the semantic conventions for generative AI. Loads no
 * package: tracer and meter are given, or found where `@opentelemetry/api` has registered them.
 *
 * ```ts
 * import { query } from "@sluice/agent";
 * import { telemetry } from "@sluice/agent/otel";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { options } = telemetry({ agentName: "reviewer" });
 * const { cliPath } = fakeCli("Fine.");
 * assert.equal(await query("Review this.", options({ cliPath })).text(), "Fine.");
 * ```
 *
 * @module
 */
export type {
  Attributes,
  AttributeValue,
  ContextLike,
  InstrumentSettings,
  MeterLike,
  SpanLike,
  SpanSettings,
  TracerLike,
} from "./api.ts";
export type { WorkerSettings } from "./fleet.ts";
export {
  type Telemetry,
  telemetry,
  type TelemetryOptions,
} from "./telemetry.ts";
