import type { TranscriptOptions } from "../transcripts/store.ts";
import type { AgentOptions } from "../types/options.ts";
import {
  duration,
  fitting,
  flag,
  isText,
  object,
  oneOf,
  string,
  text,
} from "./fields.ts";
import { withMethods } from "./host_objects.ts";
import { option, type OptionRows } from "./option.ts";

/** Options that choose a session; whatever holds several conversations leaves them to each. */
export const OF_ONE_SESSION: readonly (keyof AgentOptions)[] = [
  "resume",
  "continue",
  "forkSession",
  "sessionId",
  "resumeSessionAt",
  "resumeDropsTurn",
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The session. */
export const SESSION_OPTIONS: OptionRows = {
  /** Id of the session to resume. */
  resume: option<string>({ check: text, flag: "resume", replaces: ["r"] }),
  /** Whether to resume the newest session of `cwd`; default: false. Cannot be combined with `resume`. */
  continue: option<boolean>({
    check: flag,
    flag: "continue",
    replaces: ["c"],
    conflict: (options) =>
      options.continue === true && (
        options.resume !== undefined
          ? 'must be left out when "resume" is set'
          : options.transcripts !== undefined &&
            options.transcripts.store.listSessions === undefined &&
            'needs a "transcripts.store" that has listSessions()'
      ),
  }),
  /** Whether to resume under a new id; default: false. Needs `resume` or `continue`. */
  forkSession: option<boolean>({
    check: flag,
    flag: "fork-session",
    conflict: (options) =>
      options.forkSession === true && !isResumed(options) &&
      'needs "resume" or "continue" beside it',
  }),
  /** Id of the new session, a UUID. With `resume` or `continue`, `sessionId` needs `forkSession`. */
  sessionId: option<string>({
    check: fitting(
      "a UUID, as crypto.randomUUID() makes one",
      (value) => isText(value) && UUID.test(value),
    ),
    flag: "session-id",
    conflict: (options) =>
      options.sessionId !== undefined && isResumed(options) &&
      options.forkSession !== true &&
      'needs "forkSession" beside "resume" or "continue"',
  }),
  /** Uuid of the last message to keep. Later messages are dropped. Needs `resume`. */
  resumeSessionAt: option<string>({
    check: text,
    flag: "resume-session-at",
    conflict: needs("resumeSessionAt", "resume"),
  }),
  /** Uuid of the only prompt whose turn may be dropped. A check for `resumeSessionAt`. If it would drop more than this turn, the CLI refuses to resume. */
  resumeDropsTurn: option<string>({
    check: text,
    flag: "resume-drops-turn",
    conflict: needs("resumeDropsTurn", "resumeSessionAt"),
  }),
  /** Whether the CLI writes the session to disk; default: true. */
  persistSession: option<boolean>({
    check: flag,
    flags: { "no-session-persistence": (persists) => persists === false },
    conflict: ({ persistSession, transcripts }) =>
      transcripts !== undefined && persistSession === false &&
      'must be left out when "transcripts" is set: the store gets a copy of what the CLI writes',
  }),
  /** A store that receives a copy of the session. `resume` and `continue` read the session from this store. `@sluice/agent/transcripts` exports stores. */
  transcripts: option<TranscriptOptions>({
    check: object<TranscriptOptions>({
      store: withMethods("append", "load"),
      flush: oneOf("turn", "eager"),
      onFailure: oneOf("continue", "fail"),
      loadTimeoutMs: duration,
      projectKey: text,
    }, ["store"]),
    flags: { "session-mirror": (transcripts) => transcripts !== undefined },
    official: "sessionStore",
    hints: {
      sessionStore: "transcripts.store",
      sessionStoreFlush: "transcripts.flush",
      flush: "transcripts.flush",
      loadTimeoutMs: "transcripts.loadTimeoutMs",
      onFailure: "transcripts.onFailure",
      projectKey: "transcripts.projectKey",
    },
  }),
  /** Title of the session. */
  title: option<string>({ check: string, field: "title" }),
  /** Whether to copy changed files for `rewindFiles()`; default: false. */
  enableFileCheckpointing: option<boolean>({
    check: flag,
    variable: [
      "CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING",
      (isOn) => isOn ? "true" : undefined,
    ],
  }),
};

/** A conflict where the first is set without the second. */
function needs(key: keyof AgentOptions, other: keyof AgentOptions) {
  return (options: AgentOptions) =>
    options[key] !== undefined && options[other] === undefined &&
    `needs "${other}" beside it`;
}

/** Whether an earlier session continues. */
export function isResumed(options: AgentOptions): boolean {
  return options.resume !== undefined || options.continue === true;
}
