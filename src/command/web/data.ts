import type { ProcessState } from "../../types/activity.ts";
import type { StoryData } from "../story_data.ts";

/** A line in which everything can be seen; a number: how many more times the line before it stands. */
export type ShownLine = string | number;

/** A field of an input. */
export interface ShownField {
  readonly name: string;
  readonly lines: readonly ShownLine[];
  /** Whether the lines stand below the name. */
  readonly isBlock: boolean;
}

interface ShownQuestion {
  /** Id for the answer. */
  readonly id: string;
  /** Changes with anything that is shown. */
  readonly digest: string;
  readonly title: string;
  readonly facts: readonly string[];
  readonly fields: readonly ShownField[];
}

/** A call that a person allows or denies. */
export interface ShownCall extends ShownQuestion {
  readonly kind: "call";
  readonly change?: {
    readonly title: string;
    readonly isComparison: boolean;
    readonly parts: readonly {
      readonly lines: readonly ShownLine[];
      /** Whether they stay as they are, away from any change. */
      readonly isFar: boolean;
    }[];
  };
  /** Stands with several grants. */
  readonly grantsNote?: string;
  /** Permissions for later calls, which can be given with an allow. */
  readonly grants: readonly {
    readonly lines: readonly ShownLine[];
    /** The file that keeps it beyond the session. */
    readonly file?: string;
  }[];
}

/** Questions of the model. */
export interface ShownQuestions extends ShownQuestion {
  readonly kind: "questions";
  readonly questions: readonly {
    readonly header: string;
    readonly lines: readonly ShownLine[];
    readonly isMulti: boolean;
    readonly options: readonly {
      readonly label: string;
      readonly description: readonly ShownLine[];
      readonly preview: readonly ShownLine[];
    }[];
  }[];
}

/** Question to a person. */
export type Asked = ShownCall | ShownQuestions;

/** The answer of a page. */
export interface Answer {
  readonly id: string;
  /** The digest of what was shown. */
  readonly digest: string;
  readonly isAllowed: boolean;
  /** Why not, for the model. */
  readonly reason?: string;
  /** Places of the chosen grants. */
  readonly grants?: readonly number[];
  /** Whether the grants are kept beyond the session. */
  readonly isSaved?: boolean;
  /** For each question the places of the chosen options, or own words. */
  readonly answers?: readonly (string | readonly number[])[];
}

/** A block that the model writes. */
export interface Live {
  readonly id: number;
  readonly label: string;
  readonly text: string;
}

/** State of the agent. */
export interface Doing {
  readonly state: ProcessState;
  /** Milliseconds since that began. */
  readonly ms: number;
  /** Prompts behind the running turn. */
  readonly queued: number;
  /** The error that ended it. */
  readonly error?: string;
}

/** One event of a page; what is absent is as it was. */
export interface PageEvent {
  readonly story?: StoryData;
  readonly asked?: readonly Asked[];
  readonly doing?: Doing;
  /** The block that is being written, or what came to it; `null` for none. */
  readonly live?: Live | null;
  /** The last event of a page that another one has displaced. */
  readonly isPaused?: true;
}

/** A session in the list. */
export interface ListedSession {
  readonly id: string;
  readonly title: string;
  /** When it changed, milliseconds since 1970. */
  readonly updated: number;
}
