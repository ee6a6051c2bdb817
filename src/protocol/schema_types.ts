import type { JsonObject } from "../types/json.ts";

/** One kind of message. */
export interface MessageEntry {
  /** Its `type` on the wire. */
  readonly type: string;
  /** Its `subtype`; absent when the type says it all. */
  readonly subtype?: string;
  /** Name of its shape in `$defs`. */
  readonly def: string;
  /** False when it is seen on the wire only. */
  readonly published: boolean;
}

/** One control request. */
export interface ControlEntry {
  /** Who asks. */
  readonly direction: "host-to-cli" | "cli-to-host" | "both";
  /** Name of the shape that asks, in `$defs`. */
  readonly request: string;
  /** Name of the shape that answers; null when the answer says nothing or is not known. */
  readonly reply: string | null;
  /** False when it is seen on the wire only. */
  readonly published: boolean;
  /** The first version of the CLI that has it, where that is known. */
  readonly since?: string;
}

/** One event that hooks can be set for. */
export interface HookEntry {
  /** Name of the shape of its input, in `$defs`. */
  readonly input: string;
  /** Name of the shape of its `hookSpecificOutput`; null when there is nothing special to say. */
  readonly output: string | null;
  /** False when it is seen on the wire only. */
  readonly published: boolean;
}

/** The protocol as JSON Schema 2020-12. */
export interface ProtocolSchema {
  /** Draft of JSON Schema. */
  readonly $schema: string;
  /** Names the version of the CLI. */
  readonly $id: string;
  /** The thing it describes. */
  readonly title: string;
  /** How to read it. */
  readonly description: string;
  /** A line of either side. */
  readonly anyOf: readonly JsonObject[];
  /** Every kind of message. */
  readonly "x-messages": readonly MessageEntry[];
  /** The control requests, by subtype. */
  readonly "x-controls": Readonly<Record<string, ControlEntry>>;
  /** The hooks, by event. */
  readonly "x-hooks": Readonly<Record<string, HookEntry>>;
  /** Every shape, by name. */
  readonly $defs: Readonly<Record<string, JsonObject>>;
}
