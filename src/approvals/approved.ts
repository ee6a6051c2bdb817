import { canonicalText } from "../errors/canonical.ts";
import type { ApprovalDesk } from "../callbacks/run_callback.ts";
import type { JsonObject } from "../types/json.ts";

/** A call that was approved, and whose approval is used. */
interface ApprovedCall {
  readonly tool: string;
  /** The input that it was approved with. */
  readonly input: JsonObject;
  /** The inputs about which the CLI may ask: that of the model, and the approved one. */
  readonly known: ReadonlySet<string>;
}

/** The calls that a conversation approved, until the CLI asks about them once more: a rule or a mode can make it. */
export interface ApprovedCalls {
  /** Notes a call with the input of the model, and with the one that the decision puts in its place. */
  add(id: string, tool: string, asked: JsonObject, changed: JsonObject): void;
  /** Gives the approved input of a call, once; throws for another tool or input. `undefined` for a call that was not approved. */
  readonly take: ApprovalDesk["approved"];
  /** Forgets a call: some models reuse their ids in the next turn. */
  drop(id: string): void;
}

/** Makes the list of one conversation. */
export function approvedCalls(): ApprovedCalls {
  const calls = new Map<unknown, ApprovedCall>();
  return {
    add(id, tool, asked, input) {
      const known = new Set([canonicalText(asked), canonicalText(input)]);
      calls.set(id, { tool, input, known });
    },
    take(id) {
      const approved = calls.get(id);
      calls.delete(id);
      return approved && (({ tool, input }) => {
        const isKnown = tool === approved.tool &&
          approved.known.has(canonicalText(input));
        if (isKnown) return approved.input;
        throw new Error(
          "the CLI asks about another call than the approved one",
        );
      });
    },
    drop: (id) => void calls.delete(id),
  };
}
