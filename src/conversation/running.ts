import type { Deferred } from "../async/deferred.ts";
import type { ApprovalDesk } from "../callbacks/run_callback.ts";
import type { Engine } from "../engine/engine.ts";
import type { Costs } from "../observe/cost.ts";
import type { JsonObject } from "../types/json.ts";
import type { ActivityFeed } from "./activity.ts";
import type { OpenChannel } from "./cli_channel.ts";
import type { Core } from "./core.ts";
import type { GuardedRequests } from "./guarded_requests.ts";
import type { Input } from "./input.ts";
import type { Servers } from "./servers.ts";
import type { TranscriptCopy } from "./transcripts.ts";
import type { Turns } from "./turns.ts";

/** The stages that need no channel: what comes can be parsed and answered. */
export interface Stages extends Core {
  readonly engine: Engine;
  /** The ledger of prompts and their results. */
  readonly turns: Turns;
  readonly costs: Costs;
  /** The `hooks` field of `initialize`. */
  readonly hooks: JsonObject | undefined;
  /** The MCP servers that this package connects. */
  readonly servers: Servers;
  /** Calls that wait for an approval. */
  readonly desk: ApprovalDesk | undefined;
  readonly activity: ActivityFeed;
  readonly transcripts: TranscriptCopy | undefined;
}

/** A session whose output is read, and that takes prompts. */
export interface Session extends Stages {
  readonly channel: OpenChannel;
  readonly input: Input;
  /** Whether the silence of the CLI that lasts has been reported. */
  readonly stalls: { readonly isStalled: boolean };
  /** Sends requests made by the user, with settings that keep hooks on. */
  readonly guarded: GuardedRequests;
  /** Is rejected when the CLI ends before the start is over. */
  readonly ended: Deferred<never>;
}
