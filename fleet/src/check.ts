import { ConfigError } from "@sluice/agent";
import {
  checkKeys,
  checkOptions,
  checkPrompt as checkAgentPrompt,
  type Fields,
  integer,
  jsonValue,
  list,
  object,
  oneOf,
  OPTION_NAMES,
  plainObject,
  refuse,
  refuseUnknownTools,
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
import { LONGEST_IDLE_MS } from "./agent_options.ts";
import { LANES } from "./engine.ts";
import { JOB_STATES } from "./machine.ts";
import { keyBytes } from "./sealing.ts";

const LONGEST_WORD = 128;
/** Running jobs of a name stand in one row. */
const MOST_OF_A_NAME = 1_000;
const FLEET: Fields<FleetOptions> = {
  servers(value, key) {
    const addresses = Array.isArray(value) ? value : [value];
    if (addresses.length === 0) refuse(key, value, "one address or more");
    for (const one of addresses) address(one, key);
  },
  name: fleetName,
  credentials(value, key) {
    const kinds = ["user", "token", "credsFile"]
      .filter((kind) => kind in Object(value));
    const [kind = ""] = kinds;
    if (kinds.length !== 1) {
      refuseSecret(key, "{ user, password }, { token } or { credsFile }");
    }
    const fields: Fields<Record<string, unknown>> = kind === "user"
      ? { user: text, password: secret }
      : { [kind]: text };
    object(fields, Object.keys(fields))(value, key);
  },
  tls: object({ caFile: text, certFile: text, keyFile: text }),
  key(value, key) {
    text(value, key);
    keyBytes(String(value));
  },
  replicas: integer({ min: 1, max: 5 }),
  leaseMs: integer({ min: 1_000, max: 3_600_000 }),
  patienceMs: integer({ min: 1, max: 2 ** 31 - 1 }),
};

const SUBMIT: Fields<SubmitOptions> = {
  id: word,
  options: checkSendable,
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
  idleMs: integer({ min: 0, max: LONGEST_IDLE_MS }),
};

const WORK: Fields<WorkOptions> = {
  concurrency: integer({ min: 1, max: 1_000 }),
  options(value) {
    if (typeof value !== "function") checkOptions(value);
  },
  name: text,
  drainOnSignal: flag,
  drainMs: integer({ min: 0 }),
  signal() {},
  logger() {},
  metrics() {},
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

const OF_AGENT: ReadonlyMap<string, string> = new Map(
  OPTION_NAMES.map((name) => [
    name,
    `options of the agent go into "options": { ${name} }`,
  ]),
);

export function checkFleet(options: unknown): void {
  plainObject(options, "options");
  checkKeys(options, FLEET, "");
  for (const key of ["servers", "name"] as const) {
    if (options[key] === undefined) refuse(key, undefined, "given");
  }
}

export function checkSubmit(options: SubmitOptions): void {
  checkKeys({ ...options }, SUBMIT, "", OF_AGENT);
}

export function checkPrompt(prompt: JobPrompt): void {
  if (typeof prompt !== "string" && !Array.isArray(prompt)) {
    throw new ConfigError({
      message:
        'Prompt of a job must be a text or content blocks: send further ones by "job.send()"',
      key: "prompt",
    });
  }
  checkAgentPrompt(prompt);
}

export function checkFilter(filter: JobFilter): void {
  plainObject(filter, "filter");
  checkKeys({ ...filter }, FILTER, "");
}

export function checkId(id: string): void {
  word(id, "id");
}

export function checkLimit(name: string, most: number | undefined): void {
  word(name, "name");
  if (most === undefined) return;
  integer({ min: 1, max: MOST_OF_A_NAME })(most, "most");
}

export function checkWork(options: WorkOptions): void {
  checkKeys({ ...options }, WORK, "", OF_AGENT);
}

export function fleetName(value: unknown, key: string): void {
  if (typeof value === "string" && /^[A-Za-z0-9_-]{1,64}$/.test(value)) return;
  refuse(key, value, "1 to 64 letters, digits, - and _");
}

/** A password, which may be empty. */
function secret(value: unknown, key: string): void {
  if (typeof value !== "string" || value.includes("\0")) {
    refuseSecret(key, "a string without a null character");
  }
}

/** Rejects a value that an error must not show. */
export function refuseSecret(key: string, must: string): never {
  throw new ConfigError({ message: `Option "${key}" must be ${must}`, key });
}

function flag(value: unknown, key: string): void {
  if (typeof value !== "boolean") refuse(key, value, "true or false");
}

/** The client reads any scheme as "nats", also a misspelled "tls", and ignores a password in an address. */
function address(value: unknown, key: string): void {
  text(value, key);
  if (/^((nats|tls):\/\/)?[^\s/@]+\/?$/i.test(String(value))) return;
  refuseSecret(
    key,
    '"nats://host:port" or "tls://host:port"; user and password go into "credentials"',
  );
}

/** A part of a subject. */
function word(value: unknown, key: string): void {
  text(value, key);
  if (String(value).length > LONGEST_WORD) {
    refuse(key, value, `at most ${LONGEST_WORD} characters`);
  }
  // In UTF-8 all lone surrogates are equal, and so would two names be.
  if (/[\p{Cc}\p{Cs}]/u.test(String(value))) {
    refuse(key, value, "a text without control characters or lone surrogates");
  }
}

/** A rule, or a star in the middle, would match no call, and nothing would be asked. */
function toolName(value: unknown, key: string): void {
  text(value, key);
  if (/^[^\s(),*]*\*?$/.test(String(value))) return;
  refuse(key, value, 'the name of a tool, or how names begin and "*"');
}

/** Options of an agent, as plain JSON. */
function checkSendable(options: unknown, at: string): void {
  try {
    jsonValue(options, at);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError({
      message:
        `Option "${error.key}" cannot be sent to another machine: set it in the options of work()`,
      key: error.key,
      cause: error,
    });
  }
  try {
    checkOptions(options as JobAgentOptions);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw new ConfigError({
      message: `Option "${at}": ${error.message}`,
      key: `${at}.${error.key}`,
      value: error.value,
    });
  }
}
