import { quiet } from "../async/deferred.ts";
import type { ControlRequestOfHost } from "../protocol/lines.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { Controls } from "../types/generated/controls.ts";
import type { JsonObject } from "../types/json.ts";

/** A request before it is written: undefined fields are left out. */
type Sent<Request> = Request extends unknown ? {
    readonly [Key in keyof Request]:
      | Request[Key]
      | (object extends Pick<Request, Key> ? undefined : never);
  }
  : never;

type Body = Sent<ControlRequestOfHost>;

type Sender = Pick<Controls, "request">;

/** Sends a request; the reply is not checked against its published shape. */
export function ask<Reply>(
  sender: Sender,
  { subtype, ...fields }: Body,
  options?: ControlOptions,
): Promise<Reply> {
  const reply: Promise<unknown> = sender.request(
    subtype,
    fields as JsonObject,
    options,
  );
  return reply as Promise<Reply>;
}

/** The same for requests with an empty reply. */
export function tell(
  sender: Sender,
  body: Body,
  options?: ControlOptions,
): Promise<void> {
  return quiet(ask(sender, body, options).then(() => {}));
}

/** A field of the reply to `initialize`. */
export function know<Key extends keyof SessionInfo>(
  info: Promise<SessionInfo>,
  key: Key,
): Promise<SessionInfo[Key]> {
  return quiet(info.then((all) => all[key]));
}
