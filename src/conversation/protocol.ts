import { isAboutTool } from "./activity.ts";
import { textOfError } from "../errors/text.ts";
import type { AgentError } from "../errors/base.ts";
import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import { byteLength } from "../stream/byte_length.ts";
import type { JsonObject } from "../types/json.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { Pending } from "../wire/requests.ts";
import { Router } from "../wire/router.ts";
import type { Deadlines } from "../async/deadline.ts";
import type { Meter } from "../observe/metrics.ts";
import type { Settings } from "../options/settings.ts";
import type { ActivityFeed } from "./activity.ts";
import type { CliChannel } from "./cli_channel.ts";
import type { Reporter } from "./reporter.ts";
import type { Turns } from "./turns.ts";
import type { ControlHandler, Denial } from "../types/controls.ts";
import type { Pump } from "./pipeline.ts";

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
    onResponse(line) {
      pending.settle(line);
      incoming.acceptListed(line);
    },
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
