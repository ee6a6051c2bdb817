import type { JsonObject } from "../types/json.ts";
import { changeIn, denyChange } from "./hook_output.ts";

/** Hooks of one call, beside that of the approvals. */
interface HooksOfCall {
  readonly answers: (JsonObject | Promise<JsonObject>)[];
  /** Inputs with which they replace that of the call. */
  readonly changes: JsonObject[];
}

/** The hooks that the CLI calls before that of the approvals, by call. */
export interface OtherHooks {
  /** Records the answer of a hook; denies a change of the input after {@link close}. */
  add(
    call: JsonObject,
    answer: JsonObject | Promise<JsonObject>,
  ): JsonObject | Promise<JsonObject>;
  /** The hooks of a call; its lists grow until {@link close}. */
  of(call: JsonObject): HooksOfCall;
  /** Ends the record of a call: nothing reads a later change of its input. */
  close(call: JsonObject): void;
}

/** Makes the record of one conversation. */
export function otherHooks(): OtherHooks {
  const open = new Map<string, HooksOfCall>();
  const closed = new Set<string>();

  return {
    add(call, answer) {
      const key = keyOf(call);
      const keep = (output: JsonObject) => {
        const change = changeIn(output);
        if (change === undefined) return output;
        if (closed.has(key)) return denyChange();
        hooksOf(key).changes.push(change);
        return output;
      };
      const kept = answer instanceof Promise ? answer.then(keep) : keep(answer);
      if (!closed.has(key)) hooksOf(key).answers.push(kept);
      return kept;
    },
    of: (call) => hooksOf(keyOf(call)),
    close(call) {
      const key = keyOf(call);
      open.delete(key);
      closed.add(key);
    },
  };

  function hooksOf(key: string): HooksOfCall {
    const known = open.get(key) ?? { answers: [], changes: [] };
    open.set(key, known);
    return known;
  }
}

/** Identifies a call: some models reuse their ids in the next turn. */
function keyOf({ prompt_id: prompt, tool_use_id: call }: JsonObject): string {
  return JSON.stringify([prompt, call]);
}
