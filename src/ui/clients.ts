import { systemClock } from "../async/system_clock.ts";
import type { Client } from "../client.ts";
import {
  type Check,
  checkKeys,
  durationOrNever,
  filled,
  fitting,
  integer,
} from "../options/fields.ts";
import { plainObject } from "../options/plain_object.ts";
import { contradict, refuse } from "../options/refuse.ts";
import { resolveOptions } from "../options/resolve.ts";
import { OF_ONE_SESSION } from "../options/session_options.ts";
import type { TranscriptOptions } from "../transcripts/store.ts";
import type { CallSettings } from "../types/conversation.ts";
import type { AgentOptions } from "../types/options.ts";
import type { Infer, Schema } from "../types/schema.ts";
import { ClientSet } from "./client_set.ts";
import type { UserThread } from "./thread_sessions.ts";

export type { UserThread } from "./thread_sessions.ts";

/** A user, or a user and a thread: each pair has a client and a session of its own. */
export type ClientKey = string | UserThread;

/** Options of all clients, or a function that makes those of one key; called for each start. */
export type ClientOptions =
  | AgentOptions
  | ((key: UserThread) => AgentOptions | Promise<AgentOptions>);

/** Limits and times of `clients()`. */
export interface ClientsSettings {
  /** Most clients at the same time; each is a process. */
  readonly max: number;
  /** Most clients of one user at the same time, those of all threads together; no limit. */
  readonly maxPerKey?: number | undefined;
  /** Milliseconds without work after which a client is closed; 300 000. `Infinity` for never. */
  readonly idleMs?: number | undefined;
  /** Milliseconds that `get()` waits while all clients are in use; 5 000. `Infinity` for no limit, 0 for not at all. */
  readonly waitMs?: number | undefined;
  /** A store from which any machine resumes the sessions; the same as the option `transcripts`. */
  readonly transcripts?: TranscriptOptions | undefined;
}

/** Counters of `clients()`. */
export interface ClientStats {
  /** Number of clients, those that start or close included. */
  readonly clients: number;
  /** Number of clients in use. */
  readonly busy: number;
  /** Number of keys that wait for a client. */
  readonly waiting: number;
}

/**
 * Clients of many users, one for each key.
 *
 * @typeParam T The structured output, as `outputSchema` has it
 */
export interface Clients<T = unknown> extends AsyncDisposable {
  /**
   * Returns the connected client of a key: the running one, or a new one that resumes the session of the key.
   *
   * Calls for one key share a client, whose `ask()`, `text()` and `output()` run one after the other. The client is kept for the
   * caller until a prompt was sent, for 10 seconds at most. Its `close()` makes room for another.
   *
   * @param key The user, or the user and a thread; may be untrusted input
   * @param settings Cancels this call
   * @throws {CapacityError} If all clients are in use, and remain so for `waitMs`
   * @throws {ConfigError} If the key or the options made for it are invalid
   * @throws {TranscriptError} If the store cannot be read
   * @throws {ClosedError} After `close()`
   */
  get(key: ClientKey, settings?: CallSettings): Promise<Client<T>>;
  /** Returns the running client of a key, to interrupt it or to show its turn; starts nothing. */
  peek(key: ClientKey): Client<T> | undefined;
  /** Returns the id of the session of a key, for transcripts and approvals; the session may not have begun. */
  sessionId(key: ClientKey): Promise<string>;
  /** Returns counters. */
  stats(): ClientStats;
  /** Ends everything, running turns included; idempotent; resolves when all processes are gone. */
  close(): Promise<void>;
  /** The same as {@link close}. */
  [Symbol.asyncDispose](): Promise<void>;
}

const LONGEST_ID = 1_000;

const RULES = {
  maxPerKey: Infinity,
  idleMs: 300_000,
  waitMs: 5_000,
};

const waitOrNot: Check = (value, key) => {
  if (value !== 0) durationOrNever(value, key);
};

/**
 * Keeps one client for each user or thread of a server: closes idle ones, resumes their sessions, and limits their number.
 *
 * The id of a session is made from its key and the project, so a server that restarts continues it, and with `transcripts`
 * any machine does.
 *
 * @param options Options of all clients, or a function that makes those of one key: `cwd`, `model`, permissions
 * @param settings Limits and times
 * @throws {ConfigError} If an option is wrong
 *
 * @example One client for each user
 * ```ts
 * import { clients } from "@sluice/agent/ui";
 * import { fakeCli } from "@sluice/agent/testing";
 * import assert from "node:assert/strict";
 *
 * const { cliPath } = fakeCli(["Hello.", "Still here."]);
 * const agents = clients({ cliPath }, { max: 10 });
 * const client = await agents.get("anna");
 * assert.equal(await client.text("Hi"), "Hello.");
 * assert.equal(await agents.get("anna"), client);
 * await agents.close();
 * ```
 */
export function clients<const S extends Schema>(
  options: AgentOptions<S> & { readonly outputSchema: S },
  settings: ClientsSettings,
): Clients<Infer<S>>;
/**
 * Keeps one client for each user or thread of a server.
 *
 * @throws {ConfigError} If an option is wrong
 */
export function clients(
  options: ClientOptions,
  settings: ClientsSettings,
): Clients;
export function clients(
  options: ClientOptions,
  settings: ClientsSettings,
): Clients<never> {
  plainObject(settings, "settings");
  checkKeys({ ...settings }, {
    max: integer({ min: 1 }),
    maxPerKey: integer({ min: 1 }),
    idleMs: durationOrNever,
    waitMs: waitOrNot,
    transcripts: plainObject,
  }, "");
  const { max, transcripts, ...rules } = settings;
  if (max === undefined) refuse("max", max, "set");
  let clock = systemClock;
  if (typeof options !== "function") {
    ({ clock } = resolveOptions(checked(options, transcripts)));
  }
  const set = new ClientSet<never>({
    clock,
    max,
    ...filled(RULES, rules),
    optionsOf: async (thread) => {
      const own = typeof options === "function"
        ? await options(thread)
        : options;
      return checked(own, transcripts);
    },
  });
  return {
    // An invalid key is a rejection.
    get: async (key, call) => await set.get(checkedKey(key), call),
    peek: (key) => set.peek(checkedKey(key)),
    sessionId: async (key) => await set.sessionId(checkedKey(key)),
    stats: () => set.stats(),
    close: () => set.close(),
    [Symbol.asyncDispose]: () => set.close(),
  };
}

/** Checks that options leave the session to the key. */
function checked(
  options: AgentOptions,
  transcripts: TranscriptOptions | undefined,
): AgentOptions {
  plainObject(options as unknown, "options");
  for (const key of OF_ONE_SESSION) {
    const value = options[key];
    if (value === undefined || value === false) continue;
    contradict(key, value, "must be left out: the key decides on the session");
  }
  if (options.persistSession === false) {
    const why =
      "must be left out: a client that was closed resumes its session";
    contradict("persistSession", false, why);
  }
  if (transcripts === undefined) return options;
  if (options.transcripts !== undefined) {
    const why = "must be left out of one place: it is given twice";
    contradict("transcripts", transcripts, why);
  }
  return { ...options, transcripts };
}

const id: Check = fitting(
  `a string of 1 to ${LONGEST_ID} characters`,
  (value) =>
    typeof value === "string" && value !== "" && value.length <= LONGEST_ID,
);

/** Checks a key; one that is too long does not become part of the error. */
function checkedKey(key: ClientKey): UserThread {
  const check: Check = (value, name) => {
    const isLong = typeof value === "string" && value.length > LONGEST_ID;
    id(isLong ? `${value.slice(0, LONGEST_ID)}…` : value, name);
  };
  if (typeof key === "string") {
    check(key, "user");
    return { user: key };
  }
  plainObject(key as unknown, "user");
  checkKeys({ ...key }, { user: check, thread: check }, "");
  if (key.user === undefined) refuse("user", undefined, "set");
  return key.thread === undefined ? { user: key.user } : { ...key };
}
