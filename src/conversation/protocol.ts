import { isAboutTool } from "./activity.ts";
import { isObject, textOfError } from "../errors/text.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject } from "../types/json.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { Pending } from "../wire/requests.ts";
import { Router, wrong } from "../wire/router.ts";
import type { Deadlines } from "../async/deadline.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { ActivityFeed } from "./activity.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Reporter } from "./reporter.ts";
import type { Turns } from "./turns.ts";
import type { ControlHandler, Denial } from "../types/controls.ts";
import type { Pump } from "./pipeline.ts";

/** Open questions beside an answer. Source: protocol reference, section Envelopes. */
const PENDING_LISTS = [
  "pending_permission_requests",
  "pending_user_dialog_requests",
  "pending_elicitation_requests",
] as const;

/** The conversation that it controls. */
interface Controlled {
  readonly settings: Settings;
  readonly cli: CliChannel;
  readonly deadlines: Deadlines;
  readonly meter: Meter;
  readonly reporter: Reporter;
  readonly activity: ActivityFeed;
  readonly turns: Turns;
  /** The reader of the output. */
  readonly pump: Pump;
}

/** The control protocol, both ways. */
export interface Protocol {
  readonly outbox: Outbox;
  readonly pending: Pending;
  /** Who answers which request of the CLI; callbacks and MCP servers are put in when they are made. */
  readonly handlers: Map<string, ControlHandler>;
  /** What is answered when an answer breaks; put in with them. */
  readonly denials: Map<string, Denial>;
  readonly incoming: Incoming;
  readonly router: Router;
}

/**
 * Makes the control protocol: the way out, the requests of both sides, and the router between them.
 *
 * @param onMirror Called with lines that tell what the CLI writes to disk
 */
export function makeProtocol(
  { settings, cli, deadlines, meter, reporter, activity, turns, pump }:
    Controlled,
  onMirror: ((line: JsonObject) => void) | undefined,
): Protocol {
  const { metrics, log, report, count, shown, clean, context } = reporter;
  const { clock, timeouts } = settings;
  const onSign = () => {
    meter.lastSignMs = clock.monotonic();
  };
  const handlers = new Map<string, ControlHandler>();
  const denials = new Map<string, Denial>();
  const outbox = new Outbox({
    deadlines,
    writeMs: timeouts.writeMs,
    toError: (message, cause) => {
      const error = clean(
        new CliError({
          stage: "write",
          message: cause === undefined
            ? message
            : `${message}: ${textOfError(cause)}`,
          cause,
          fatal: false,
          context: context(),
        }),
      );
      count(error);
      return error;
    },
    onLost: (error) => report(error as AgentError),
    onWritten: (text, { lines, isWork }) => {
      meter.wrote(byteLength(text), lines.length, clock);
      if (isWork) onSign();
      if (settings.options.metrics?.transport?.messageSent === undefined) {
        return;
      }
      for (const line of lines) {
        metrics.transport?.messageSent(byteLength(line));
      }
    },
  });
  log.debug("Composed", { part: "transport" });
  const telling = {
    clock,
    onSign,
    metrics: metrics.protocol,
    log,
    scrub: shown,
    report,
  };
  const pending = new Pending({
    outbox,
    deadlines,
    controlMs: timeouts.controlMs,
    abandonedMs: timeouts.abandonedMs,
    onAdded: () => pump.run(),
    learn: (fields) => cli.scrubber.learn({ documents: [fields] }),
  }, telling);
  const incoming = new Incoming({
    handlers,
    denials,
    outbox,
    onRequest: (request) => {
      if (isAboutTool(request)) turns.hasAskedTool = true;
    },
    onChange: () => activity.changed(),
  }, telling);
  const router = new Router({
    log,
    scrub: shown,
    onRequest: (line) => incoming.accept(line),
    onCancel: (line) => incoming.cancel(line),
    onResponse: (line) => settle(line, pending, incoming),
    onMirror,
    report: (error) => {
      if (error instanceof ProtocolError) {
        metrics.protocol?.handlerFailure("router", error);
      } else {
        metrics.protocol?.malformedMessage("line");
      }
      report(error);
    },
  });

  log.debug("Composed", { part: "protocol" });

  return {
    outbox,
    pending,
    handlers,
    denials,
    incoming,
    router,
  };
}

/** Hands an answer over; questions that are still open may ride on it. */
function settle(
  line: JsonObject,
  pending: Pending,
  incoming: Incoming,
): void {
  const { response } = line;
  if (!isObject(response)) {
    return pending.malformed(line, wrong("response", response, "an object"));
  }
  pending.settle(response);
  for (const key of PENDING_LISTS) {
    const requests = response[key];
    if (requests === undefined || requests === null) continue;
    if (!Array.isArray(requests)) {
      const problem = wrong(`response.${key}`, requests, "an array");
      pending.malformed(response, problem);
      continue;
    }
    for (const [at, request] of requests.entries()) {
      if (isObject(request)) incoming.accept(request, true);
      else {
        const field = `response.${key}[${at}]`;
        pending.malformed(response, wrong(field, request, "an object"));
      }
    }
  }
}
