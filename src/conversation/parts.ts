import type { Deadlines } from "../async/deadline.ts";
import type { Deferred } from "../async/deferred.ts";
import type { Progress } from "../callbacks/permissions.ts";
import type { Scope } from "../async/scope.ts";
import type { AgentError } from "../errors/base.ts";
import type { CliContext } from "../errors/cli.ts";
import type { Scrubber } from "../errors/scrubber.ts";
import type { Log } from "../observe/log.ts";
import type { AttachedServers } from "../mcp/attached.ts";
import type { Meter, SafeMetrics } from "../observe/metrics.ts";
import type { GuardPlace } from "../options/path_pattern.ts";
import type { Settings } from "../options/resolve.ts";
import type { ToolGuard } from "../options/rules.ts";
import type { Parser } from "../parse/parser.ts";
import type { StrictCheck } from "../parse/strict.ts";
import type { Channel } from "../ports/transport.ts";
import type { Window } from "../stream/window.ts";
import type { ControlHandler, Denial } from "../types/control.ts";
import type { ProcessHealth } from "../types/health.ts";
import type { JsonObject } from "../types/json.ts";
import type { Message } from "../types/message.ts";
import type { Incoming } from "../wire/incoming.ts";
import type { Outbox } from "../wire/outbox.ts";
import type { Pending } from "../wire/pending.ts";
import type { Requests } from "../wire/requests.ts";
import type { Router } from "../wire/router.ts";
import type { Refusals } from "./after_end.ts";
import type { Ending } from "./ending.ts";
import type { ErrorFeed } from "./error_feed.ts";
import type { IdleWatch } from "./idle.ts";
import type { Input } from "./input.ts";
import type { Pump } from "./pump.ts";
import type { Turns } from "./turns.ts";

/** What a conversation brings to its composition. */
export interface ComposeInit {
  /** What the user wrote, with defaults. */
  readonly settings: Settings;
  /** Where messages wait. */
  readonly window: Window<Message>;
  /** Where errors go. */
  readonly errors: ErrorFeed;
  /** How it ends. */
  readonly ending: Ending;
  /** Everything that is opened. */
  readonly scope: Scope;
  /** What comes to be there. */
  readonly live: Live;
  /** Aborted when the conversation is given up. */
  readonly signal: AbortSignal;
  /** Whether the messages are read turn by turn; a client's are. */
  readonly isReadByTurn: boolean;
  /** How far the consumer of the messages is. */
  readonly progress: Progress;
}

/** A way to the CLI whose end is told as it is promised. */
export interface OpenChannel extends Channel {
  readonly gone: Promise<unknown>;
}

/** What comes to be there while the conversation opens. */
export interface Live {
  /** Where log lines go. */
  log?: Log;
  /** Counts what passes. */
  meter?: Meter;
  /** The ledger of prompts and their results. */
  turns?: Turns;
  /** Logs and counts an error. */
  tell?: (error: AgentError) => void;
  /** Takes secrets out of a value: a copy of what holds any. */
  shown?: <Value>(value: Value) => Value;
  /** How the process is doing. */
  health?: () => ProcessHealth;
  /** All parts, joined. */
  parts?: Composed;
  /** The way to the CLI on its way: it takes care of itself when nobody waits for it any more. */
  opening?: Promise<OpenChannel>;
  /** The way to the CLI. */
  channel?: OpenChannel;
  /** When it was opened, milliseconds since 1970. */
  openedMs?: number;
  /** The reader of its output. */
  pump?: Pump;
  /** Resolves when the output has ended and the exit was judged. */
  ended?: Promise<void>;
  /** Whether `initialize` was answered. */
  isReady?: boolean;
  /** Resolves when the start has succeeded or failed. */
  readonly decided: Deferred<void>;
  /** The MCP servers that this package connects. */
  servers?: Promise<AttachedServers>;
  /** Knows the secrets of this conversation; as soon as they are known. */
  scrubber?: Scrubber;
  /** Where patterns of paths begin. */
  place?: GuardPlace;
  /** Says why a tool may not be used; the allow-list. */
  guard?: ToolGuard | undefined;
  /** When stdin was closed at the end of the work, milliseconds since 1970. */
  stdinClosedMs?: number;
  /** Stops a CLI that does not exit, and gives up its output. */
  stop?: () => Promise<void>;
  /** Whether the CLI is gone. */
  hasExited?: boolean;
  /** The check of `validation: "strict"`. */
  strict?: StrictCheck;
}

/** What everything else stands on. */
export interface Ground extends ComposeInit {
  readonly log: Log;
  readonly metrics: SafeMetrics;
  readonly meter: Meter;
  /** The ledger of prompts and their results. */
  readonly turns: Turns;
  readonly deadlines: Deadlines;
  /** Takes secrets out of somebody else's values: a copy of what holds any. */
  readonly shown: <Value>(value: Value) => Value;
  /** Takes secrets out of an error of this package, which stays the same object. */
  readonly clean: <E>(error: E) => E;
  /** Cleans, logs and counts an error. */
  readonly tell: (error: AgentError) => void;
  /** Counts an error; once, however often it is told. */
  readonly count: (error: AgentError) => void;
  /** Tells an error that does not end the conversation. */
  readonly report: (error: AgentError) => void;
  /** What errors may say of the CLI. */
  readonly context: () => CliContext;
  /** What is said to whoever comes after the end. */
  readonly refusals: Refusals;
}

/** The control protocol, both ways. */
export interface Protocol {
  readonly outbox: Outbox;
  readonly pending: Pending;
  readonly requests: Requests;
  /** Who answers which request of the CLI; callbacks and MCP servers are put in when they are made. */
  readonly handlers: Map<string, ControlHandler>;
  /** What is answered when an answer breaks; put in with them. */
  readonly denials: Map<string, Denial>;
  readonly incoming: Incoming;
  readonly router: Router;
}

/** A conversation whose parts know each other; nothing is open yet. */
export interface Composed extends Ground, Protocol {
  readonly parser: Parser;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  readonly input: Input;
  readonly idle: IdleWatch;
}
