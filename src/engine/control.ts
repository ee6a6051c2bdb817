import { ProtocolError } from "../errors/protocol.ts";
import { byteLength } from "../stream/byte_length.ts";
import { OWN_CONVENTIONS } from "../wire/conventions.ts";
import { Incoming } from "../wire/incoming.ts";
import { Outbox } from "../wire/outbox.ts";
import { requestIds } from "../wire/request_id.ts";
import { Pending } from "../wire/requests.ts";
import { Router } from "../wire/router.ts";
import type { Profile } from "./profile.ts";

/** The control protocol, both ways. */
export interface ControlTraffic {
  readonly outbox: Outbox;
  readonly requests: Pending;
  readonly incoming: Incoming;
  readonly router: Router;
}

/** Makes the way out, the requests of both sides, and the router between them. */
export function makeControl(
  { time, limits, messages, control, observed, faults }:
    & Pick<
      Profile<never>,
      "time" | "limits" | "control" | "observed" | "faults"
    >
    & { readonly messages: Pick<Profile<never>["messages"], "mirror"> },
  readOn: () => void,
): ControlTraffic {
  const { clock, deadlines } = time;
  const { meter, telling } = observed;
  const { controlMs, abandonedMs, handlers, denials } = control;
  const conventions = control.conventions ?? OWN_CONVENTIONS;
  const outbox = new Outbox({
    deadlines,
    writeMs: limits.writeMs,
    toError: (message, cause) => faults.unwritten(message, cause),
    onLost: (error) => faults.answersLost?.(error),
    onWritten: (text, batch) => {
      meter.wrote(byteLength(text), batch.lines.length, clock);
      if (batch.isWork) telling.onSign?.();
      observed.onWritten?.(batch);
    },
  });
  const requests = new Pending({
    outbox,
    deadlines,
    nextId: requestIds(() => clock.now()),
    controlMs,
    abandonedMs,
    conventions,
    // The reader must go on until the answer came.
    onAdded: readOn,
    ...control.learn && { learn: control.learn },
  }, telling);
  const incoming = new Incoming({
    handlers,
    denials,
    outbox,
    conventions,
    ...control.onRequest && { onRequest: control.onRequest },
    ...control.onChange && { onChange: control.onChange },
  }, telling);
  const router = new Router({
    log: telling.log,
    onRequest: (line) => incoming.accept(line),
    onCancel: (line) => incoming.cancel(line),
    onResponse(line) {
      requests.settle(line);
      incoming.acceptListed(line);
    },
    onMirror: messages.mirror,
    report: (error) => {
      if (error instanceof ProtocolError) {
        telling.metrics?.handlerFailure("router", error);
      } else telling.metrics?.malformedMessage("line");
      telling.report(error);
    },
  });
  return { outbox, requests, incoming, router };
}
