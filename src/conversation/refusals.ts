import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { OpenRequest } from "../wire/requests.ts";
import type { Core } from "./core.ts";

/** The rejection of a prompt after the end: an error, or the reason of the signal. */
export function cannotWrite({ life, reporter }: Core): unknown {
  if (life.reason === "aborted") return life.error;
  return reporter.redactError(
    new CliError({
      stage: "write",
      message: "Cannot write to the CLI: it has ended",
      cause: life.error,
      fatal: false,
      context: reporter.context(),
    }),
  );
}

/** The same for a request. */
export function cannotAnswer(
  { life, reporter }: Core,
  { id, subtype, data = { subtype } }: Partial<OpenRequest> & {
    readonly subtype: string;
  },
): unknown {
  if (life.reason === "aborted") return life.error;
  return reporter.redactError(
    new ProtocolError({
      message: `CLI has ended: it cannot answer ${subtype}`,
      category: "transport",
      subtype,
      requestId: id,
      requestData: data,
      cause: life.error,
    }),
  );
}
