import { ConfigError } from "@sluice/agent";
import {
  callback,
  type Check,
  checkKeys,
  checkOptions,
  checkPrompt as checkAgentPrompt,
  duration,
  type Fields,
  flag,
  integer,
  isObject,
  jsonValue,
  list,
  LONGEST_TIMER_MS,
  object,
  oneOf,
  OPTION_NAMES,
  plainObject,
  REDACTED,
  refuse,
  refuseUnknownTools,
  stringWithoutNul,
  text,
} from "@sluice/agent/extend";
import type {
  FleetOptions,
  JobAgentOptions,
  JobFilter,
  JobPrompt,
  SubmitOptions,
  WorkOptions,
} from "./types.ts";
import { LANES } from "./engine.ts";
import { JOB_STATES } from "./machine.ts";
import { keyBytes } from "./sealing.ts";

const LONGEST_WORD = 128;
/** Those that run stand in one row. */
const MOST_OF_A_NAME = 1_000;

const anything: Check = () => {};

/** The client reads any scheme as "nats", also a misspelled "tls", and ignores a password in an address. */
const address: Check = (value, key) => {
  text(value, key);
  if (/^((nats|tls):\/\/)?[^\s/@]+\/?$/i.test(String(value))) return;
  refuse(
    key,
    REDACTED,
    '"nats://host:port" or "tls://host:port"; user and password go into "credentials"',
  );
};

/** Refuses what can be the name of no fleet. */
export function fleetName(value: unknown, key: string): void {
  if (typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value)) return;
  refuse(key, value, "1 to 64 letters, digits, - and _");
}

const FLEET: Fields<FleetOptions> = {
  servers(value, key) {
    // Of none the client makes one of this machine.
    if (Array.isArray(value) && value.length === 0) {
      refuse(key, value, "one address or more");
    } else if (Array.isArray(value)) list(address)(value, key);
    else address(value, key);
  },
  name: fleetName,
  credentials(value, key) {
    const kinds = isObject(value)
      ? ["user", "token", "credsFile"].filter((kind) => kind in value)
      : [];
    if (kinds.length !== 1) {
      refuse(
        key,
        REDACTED,
        "{ user, password }, { token } or { credsFile }",
      );
    }
    const [kind] = kinds;
    const fields: Fields<Record<string, unknown>> = kind === "user"
      ? { user: text, password: stringWithoutNul }
      : { [kind as string]: text };
    object(fields, Object.keys(fields))(value, key);
  },
  tls: object({ caFile: text, certFile: text, keyFile: text }),
  key(value, key) {
    text(value, key);
    keyBytes(String(value));
  },
  replicas: integer({ min: 1, max: 5 }),
  leaseMs: integer({ min: 1_000, max: 3_600_000 }),
  patienceMs: duration,
};

/** What becomes part of a subject. */
const word: Check = (value, key) => {
  text(value, key);
  if (String(value).length > LONGEST_WORD) {
    refuse(key, value, `at most ${LONGEST_WORD} characters`);
  }
  // UTF-8 has one form for all lone surrogates, so that two names would be one.
  if (/[\p{Cc}\p{Cs}]/u.test(String(value))) {
    refuse(key, value, "a text without control characters or lone surrogates");
  }
};

/** A rule, or a star in the middle, would fit no call, and nobody would be asked. */
const toolName: Check = (value, key) => {
  text(value, key);
  if (/^[^\s(),*]*\*?$/.test(String(value))) return;
  refuse(key, value, 'the name of a tool, or how names begin and "*"');
};

const SUBMIT: Fields<SubmitOptions> = {
  id: word,
  options: anything,
  session: text,
  priority: oneOf(...LANES),
  name: word,
  key: word,
  delayMs: integer({ min: 0 }),
  deadlineMs: integer({ min: 1 }),
  maxAttempts: integer({ min: 1, max: 1_000 }),
  approvals(value, key) {
    if (typeof value === "boolean") return;
    if (!Array.isArray(value) || value.length === 0) {
      refuse(key, value, "true, false, or names of tools");
    }
    list(toolName)(value, key);
    refuseUnknownTools(key, value);
  },
  open: flag,
  idleMs: integer({ min: 0, max: LONGEST_TIMER_MS }),
};

const WORK: Fields<WorkOptions> = {
  concurrency: integer({ min: 1, max: 1_000 }),
  options: anything,
  name: text,
  drainOnSignal: flag,
  drainMs: integer({ min: 0 }),
  signal: anything,
  logger: anything,
  metrics: anything,
};

const state = oneOf(...JOB_STATES);

const FILTER: Fields<JobFilter> = {
  state(value, key) {
    if (Array.isArray(value)) list(state)(value, key);
    else state(value, key);
  },
  name: word,
  key: word,
};
/** Options of the agent have a place of their own. */
const OF_AGENT: ReadonlyMap<string, string> = new Map(
  OPTION_NAMES.map((name) => [
    name,
    `options of the agent go into "options": { ${name} }`,
  ]),
);

/** Refuses options of a connection that are wrong. */
export function checkFleet(options: unknown): void {
  plainObject(options, "options");
  checkKeys(options, FLEET, "");
  for (const key of ["servers", "name"] as const) {
    if (options[key] === undefined) refuse(key, undefined, "given");
  }
}

/** Refuses options of a job that are wrong, or that cannot be sent. */
export function checkSubmit(options: SubmitOptions): void {
  checkKeys({ ...options }, SUBMIT, "", OF_AGENT);
  if (options.options !== undefined) checkSendable(options.options);
}

/** Refuses a prompt that no agent takes. */
export function checkPrompt(prompt: JobPrompt): void {
  if (typeof prompt !== "string" && !Array.isArray(prompt)) {
    throw new ConfigError({
      message:
        'Prompt of a job must be a text or content blocks: give further ones to "job.send()"',
      key: "prompt",
    });
  }
  checkAgentPrompt(prompt);
}

/** Refuses a filter that is wrong, of which no job would be found, or all. */
export function checkFilter(filter: JobFilter): void {
  plainObject(filter, "filter");
  checkKeys({ ...filter }, FILTER, "");
}

/** Refuses what can be the id of no job. */
export function checkId(id: string): void {
  word(id, "id");
}

/** Refuses a limit that is wrong; none is fine. */
export function checkLimit(name: string, most: number | undefined): void {
  word(name, "name");
  if (most === undefined) return;
  integer({ min: 1, max: MOST_OF_A_NAME })(most, "most");
}

/** Refuses options of a worker that are wrong. */
export function checkWork(options: WorkOptions): void {
  checkKeys({ ...options }, WORK, "", OF_AGENT);
  if (typeof options.options === "function") {
    callback(options.options, "options");
  } else if (options.options !== undefined) checkOptions(options.options);
}

/** Refuses what only this program has, by its key, and then what no agent takes. */
function checkSendable(options: JobAgentOptions): void {
  if (!isObject(options)) refuse("options", options, "an object");
  try {
    jsonValue(options, "options");
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError({
      message:
        `Option "${error.key}" cannot be sent to another machine: give it to the worker, in the options of work()`,
      key: error.key,
      cause: error,
    });
  }
  try {
    checkOptions(options);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError({
      message: `Option "options": ${error.message}`,
      key: `options.${error.key}`,
      value: error.value,
    });
  }
}
