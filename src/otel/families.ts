import type { Metrics } from "../types/observe.ts";
import { ATTRIBUTE as A } from "./names.ts";
import type { Recorder } from "./instruments.ts";

/** Counts the events of processes, of the control protocol, of the parser and of pools; nothing that comes once a message. */
export function families(record: Recorder): Metrics {
  const fault = (request: string, error: string) =>
    record("requestErrors", 1, { [A.request]: request, [A.error]: error });
  const unread = (field: string, error: string) =>
    record("parseErrors", 1, { [A.error]: error, [A.field]: field });
  return {
    transport: {
      error: (stage) => record("processErrors", 1, { [A.stage]: stage }),
      processExit(exitCode, runtimeMs) {
        record("processExits", 1, {
          [A.exitCode]: exitCode === null ? "signal" : String(exitCode),
        });
        record("processLife", runtimeMs / 1_000);
      },
    },
    protocol: {
      success: (subtype, durationMs) =>
        record("requestDuration", durationMs / 1_000, { [A.request]: subtype }),
      error: (subtype) => fault(subtype, "error"),
      timeout: (subtype) => fault(subtype, "timeout"),
      malformedMessage: (kind) => fault(kind, "malformed"),
      handlerFailure: (subtype) => fault(subtype, "handler"),
    },
    pool: {
      query: (isWarm) =>
        record("poolQueries", 1, { [A.start]: isWarm ? "warm" : "cold" }),
      change({ warm, starting, busy }) {
        for (const [state, count] of Object.entries({ warm, starting, busy })) {
          record("poolProcesses", count, { [A.state]: state });
        }
      },
    },
    parser: {
      unknownMessageType: (type) => unread(type, "unknown_message"),
      unknownBlockType: (type) => unread(type, "unknown_block"),
      parseError: (_type, field) => unread(field, "parse"),
    },
  };
}
