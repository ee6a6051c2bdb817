import { quiet } from "../async/deferred.ts";
import type { ControlRequestOfHost } from "../protocol/lines.ts";
import type { SessionInfo } from "../protocol/session.ts";
import type { ControlOptions } from "../types/controls.ts";
import type { Controls } from "../types/generated/controls.ts";
import type { JsonObject } from "../types/json.ts";

/** A request as it is put together: what is not given is left out when it is written. */
type Sent<Request> = Request extends unknown ? {
    readonly [Key in keyof Request]:
      | Request[Key]
      | (object extends Pick<Request, Key> ? undefined : never);
  }
  : never;

/** What a method sends. */
type Body = Sent<ControlRequestOfHost>;

/** A client or a conversation. */
type Sender = Pick<Controls, "request">;

/** Sends a request; the reply is the CLI's own: its published shape is taken at its word. */
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

/** The same for requests whose answer says nothing. */
export function tell(
  sender: Sender,
  body: Body,
  options?: ControlOptions,
): Promise<void> {
  return quiet(ask(sender, body, options).then(() => {}));
}

/** What the reply to `initialize` said. */
export function know<Key extends keyof SessionInfo>(
  info: Promise<SessionInfo>,
  key: Key,
): Promise<SessionInfo[Key]> {
  return quiet(info.then((all) => all[key]));
}
