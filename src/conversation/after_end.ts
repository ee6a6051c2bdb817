import { type CliContext, CliError } from "../errors/cli.ts";
import { ProtocolError } from "../errors/protocol.ts";
import type { OpenRequest } from "../wire/pending.ts";
import type { Ending } from "./ending.ts";

/** A request that nobody can answer any more. */
type Unanswered = Partial<OpenRequest> & { readonly subtype: string };

/** What is said to whoever comes after the end: an error, or the reason of its signal. */
export interface Refusals {
  /** To a prompt. */
  write(): unknown;
  /** To a request. */
  answer(request: Unanswered): unknown;
}

/** Makes the refusals of a conversation. */
export function refusalsOf(
  ending: Ending,
  context: () => CliContext,
  clean: <E>(error: E) => E,
): Refusals {
  return {
    write() {
      if (ending.reason === "aborted") return ending.error;
      return clean(
        new CliError({
          stage: "write",
          message: "Cannot write to the CLI: it has ended",
          cause: ending.error,
          fatal: false,
          context: context(),
        }),
      );
    },
    answer({ id, subtype, data }) {
      if (ending.reason === "aborted") return ending.error;
      return clean(
        new ProtocolError({
          message: `CLI has ended: it cannot answer ${subtype}`,
          category: "transport",
          subtype,
          ...id !== undefined && { requestId: id },
          ...data !== undefined && { requestData: data },
          cause: ending.error,
        }),
      );
    },
  };
}
