import { attempt } from "../async/deferred.ts";
import { openTelemetry } from "../observe/open_telemetry.ts";
import { checkKeys, type Fields, flag, text } from "../options/fields.ts";
import { withMethods } from "../options/host_objects.ts";
import { plainObject } from "../options/plain_object.ts";
import type { HubOptions, HubRequest } from "../types/mcp_hub.ts";
import type { ConversationStart } from "../types/observer.ts";
import type { AgentOptions } from "../types/options.ts";
import { VERSION } from "../version.ts";
import type { MeterLike, TracerLike } from "./api.ts";
import { observeConversation } from "./conversation.ts";
import { families } from "./families.ts";
import { observeWorker, type WorkerSettings } from "./fleet.ts";
import { recorder } from "./instruments.ts";
import { observeRequest } from "./hub.ts";
import { bothHubs, bothMetrics } from "./merge.ts";
import { ATTRIBUTE } from "./names.ts";
import type { Setting } from "./setting.ts";
import type { Span } from "./spans.ts";

/** Settings of telemetry, all optional. */
export interface TelemetryOptions {
  /** Makes the spans; the global tracer of `@opentelemetry/api`. */
  readonly tracer?: TracerLike | undefined;
  /** Makes the instruments; the global meter of `@opentelemetry/api`. */
  readonly meter?: MeterLike | undefined;
  /** Name of the agent, in spans and metrics; `"claude-code"`. */
  readonly agentName?: string | undefined;
  /** Whether prompts, answers, tool inputs and tool results become attributes; false. They may hold secrets. */
  readonly captureContent?: boolean | undefined;
}

/** Adds telemetry to options. */
export interface Telemetry {
  /**
   * Returns the options of `query()`, a `Client` or a `Pool` with telemetry; metrics of their own are called as well.
   *
   * @throws {ConfigError} If the options are no object
   */
  options<O extends AgentOptions = AgentOptions>(options?: O): O;
  /**
   * Returns the options of an `McpHub` with telemetry; metrics of their own are called as well.
   *
   * @throws {ConfigError} If the options are no object
   */
  hub(options?: HubOptions): HubOptions;
  /**
   * Returns the options of `fleet.work()` of `@sluice/fleet` with telemetry, for its attempts and their agents; metrics of their own
   * are called as well.
   *
   * @throws {ConfigError} If the options are no object
   */
  fleet<O extends WorkerSettings>(options?: O): O;
}

/** Name of the tracer and the meter. */
const SCOPE = "@sluice/agent";

const FIELDS: Fields<TelemetryOptions> = {
  tracer: withMethods("startSpan"),
  meter: withMethods("createHistogram", "createCounter"),
  agentName: text,
  captureContent: flag,
};

/**
 * Makes spans and metrics of agents, by the semantic conventions of OpenTelemetry for generative AI.
 *
 * Without `tracer` and `meter` it uses those that the program has registered with `@opentelemetry/api`, also if that happens later;
 * without any it does nothing. Nothing that a tracer or an exporter does disturbs an agent.
 *
 * @param options Tracer, meter, name of the agent
 * @throws {ConfigError} If an option is wrong
 *
 * @example Collect the spans of a conversation
 * ```ts
 * import { query } from "@sluice/agent";
 * import { telemetry } from "@sluice/agent/otel";
 * import { fakeCli } from "@sluice/agent/testing";
 * import {
 *   BasicTracerProvider,
 *   InMemorySpanExporter,
 *   SimpleSpanProcessor,
 * } from "@opentelemetry/sdk-trace-base";
 * import assert from "node:assert/strict";
 *
 * const exporter = new InMemorySpanExporter();
 * const provider = new BasicTracerProvider({
 *   spanProcessors: [new SimpleSpanProcessor(exporter)],
 * });
 * const { options } = telemetry({ tracer: provider.getTracer("app"), agentName: "helper" });
 * const { cliPath } = fakeCli("Hello.");
 * await query("Say hello.", options({ cliPath })).text();
 * const names = exporter.getFinishedSpans().map(({ name }) => name);
 * assert.deepEqual(names.sort(), ["chat claude-opus-5-5", "invoke_agent helper", "startup", "turn"]);
 * ```
 */
export function telemetry(options: TelemetryOptions = {}): Telemetry {
  plainObject(options as unknown, "options");
  checkKeys({ ...options }, FIELDS, "");
  const { tracer, meter, agentName = "claude-code", captureContent = false } =
    options;
  const record = recorder(() =>
    meter ??
      openTelemetry().metrics?.getMeter(SCOPE, VERSION) as
        | MeterLike
        | undefined, { [ATTRIBUTE.agent]: agentName });
  const setting: Setting = {
    tracer: () => tracer ?? globalTracer(),
    record,
    agentName,
    captureContent,
  };
  const counters = families(record);

  /** Adds telemetry to the options of an agent, whose conversations belong to a span. */
  function agentOptions<O extends AgentOptions>(
    given: O | undefined,
    parent?: Span,
  ): O {
    const ours = {
      ...counters,
      conversation: {
        begin: (start: ConversationStart) =>
          observeConversation(setting, start, parent),
      },
    };
    return { ...given as O, metrics: bothMetrics(ours, given?.metrics) };
  }

  return {
    options(given) {
      plainObject(given ?? {} as unknown, "options");
      return agentOptions(given);
    },
    hub(given = {}) {
      plainObject(given as unknown, "options");
      const hub = {
        request: (request: HubRequest) => observeRequest(setting, request),
      };
      return { ...given, metrics: bothHubs(hub, given.metrics) };
    },
    fleet<O extends WorkerSettings>(given?: O): O {
      plainObject(given ?? {} as unknown, "options");
      return observeWorker(setting, agentOptions, given ?? {}) as O;
    },
  };
}

function globalTracer(): TracerLike | undefined {
  return attempt(() =>
    openTelemetry().trace?.getTracer(SCOPE, VERSION) as TracerLike | undefined
  );
}
