import { CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { OpenRequest } from "../wire/pending.ts";
import type { Composed } from "./parts.ts";

/** The error of a prompt for a CLI that is gone, or of its signal. */
export function cannotWrite({ ending, context }: Composed): unknown {
  if (ending.reason === "aborted") return ending.error;
  return new CliError({
    stage: "write",
    message: "Cannot write to the CLI: it has ended",
    cause: ending.error,
    fatal: false,
    context: context(),
  });
}

/** The error of a request that a CLI that is gone cannot answer, or of its signal. */
export function cannotAnswer(
  { ending }: Composed,
  { id, subtype, data }: Partial<OpenRequest> & { readonly subtype: string },
): unknown {
  if (ending.reason === "aborted") return ending.error;
  return new ProtocolError({
    message: `CLI has ended: it cannot answer ${subtype}`,
    category: "transport",
    subtype,
    ...id !== undefined && { requestId: id },
    ...data !== undefined && { requestData: data },
    cause: ending.error,
  });
}
