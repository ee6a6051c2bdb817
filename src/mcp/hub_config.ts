import { BACKOFF } from "../async/backoff.ts";
import type { FullClock } from "../ports/clock.ts";
import { isObject } from "../errors/text.ts";
import { fullClock, systemClock } from "../async/system_clock.ts";
import { ConfigError } from "../errors/base.ts";
import { type PlainObject, plainObject } from "../options/plain_object.ts";
import {
  callback,
  checkKeys,
  duration,
  type Fields,
  filled,
  fitting,
  flag,
  integer,
  object,
  oneOf,
} from "../options/fields.ts";
import { clock } from "../options/host_objects.ts";
import { contradict, refuse } from "../options/refuse.ts";
import { serverConfig } from "../options/server_configs.ts";
import { isInstance, mcpServers } from "../options/server_fields.ts";
import type {
  HubMetrics,
  HubOptions,
  HubServerConfig,
  HubServerInput,
  RetryOptions,
} from "../types/mcp_hub.ts";
import type { LocalMcpServer, McpServerConfig } from "../types/mcp.ts";
import { CALL_MS, connectMsOf } from "./connect.ts";
import { prefixToolkit, serverFault } from "./names.ts";
import type { Complete } from "../types/option_values.ts";

/** One server, checked and copied: changes made to what was given change nothing. */
export interface HubServer {
  readonly name: string;
  readonly config: HubServerConfig;
  /** Limit for connecting and the first list, in milliseconds. */
  readonly connectMs: number;
  /** Limit for one attempt of a request, in milliseconds. */
  readonly callMs: number;
  readonly isTrusted: boolean;
}

/** Checks the servers of a hub, in either form; throws `ConfigError`. */
export function readServers(
  servers:
    | readonly (HubServerConfig | LocalMcpServer)[]
    | Readonly<Record<string, HubServerInput>>,
): readonly HubServer[] {
  const isList = Array.isArray(servers);
  if (!isList) plainObject(servers, "servers");
  const names = new Set<string>();
  // A list has the names inside, an object outside; other keys of a list, as some libraries add, are none.
  const inputs = (isList ? [...servers] : servers) as Readonly<
    Record<string, HubServerConfig>
  >;
  return Object.entries(inputs).map(([at, given]) => {
    const key = isList ? `servers[${at}]` : `servers.${at}`;
    // A server of this program may be of any class.
    if (!isInstance(given)) plainObject(given, key);
    const config: HubServerConfig = serverConfig(given);
    const name = isList ? given.name : at;
    if (!isList && config.name !== undefined && config.name !== name) {
      contradict(`${key}.name`, config.name, "is not the key it stands under");
    }
    const nameKey = isList ? `${key}.name` : key;
    checkName(name, nameKey);
    if (names.has(name)) {
      contradict(nameKey, name, "names a server that is there already");
    }
    names.add(name);
    return readServer(name, config);
  });
}

function checkName(name: unknown, key: string): asserts name is string {
  if (typeof name !== "string" || name === "" || name.trim() !== name) {
    refuse(key, name, "a name without blanks at its ends, not empty");
  }
  const fault = serverFault(name);
  if (fault === undefined) return;
  const message = `Name of an MCP server ${fault}`;
  throw new ConfigError({ message, key, value: name });
}

function readServer(name: string, given: object): HubServer {
  const { name: _, trustAnnotations, ...rest } = given as PlainObject;
  const key = `servers.${name}`;
  if (rest.via === "cli") {
    contradict(`${key}.via`, rest.via, "is not known to a hub, which connects");
  }
  mcpServers({ [name]: rest }, "servers");
  if (trustAnnotations !== undefined) {
    flag(trustAnnotations, `${key}.trustAnnotations`);
  }
  const config = copyOf(rest as unknown as McpServerConfig);
  const isInProcess = config.type === "sdk";
  return {
    name,
    config: { ...config, name },
    connectMs: connectMsOf(config),
    callMs: (isInProcess ? undefined : config.callTimeoutMs) ?? CALL_MS,
    isTrusted: (trustAnnotations ?? isInProcess) === true,
  };
}

/** Later changes of what was given change nothing; instances and functions stay as they are. */
function copyOf(config: McpServerConfig): McpServerConfig {
  const entries = Object.entries(config).map(([key, value]) => {
    if (key === "url") return [key, new URL(value)];
    if (Array.isArray(value)) return [key, [...value]];
    const isRecord = key === "headers" || key === "env";
    return [key, isRecord && isObject(value) ? { ...value } : value];
  });
  return Object.fromEntries(entries);
}

type Defaulted = Pick<
  HubOptions,
  "onFailure" | "classifier" | "questionTimeoutMs"
>;

export type HubSettings =
  & HubOptions
  & Complete<Defaulted>
  & { readonly retry: Complete<RetryOptions>; readonly clock: FullClock };

const DEFAULTS: Complete<Defaulted> = {
  onFailure: "strict",
  classifier: prefixToolkit,
  // As long as a permission of a conversation.
  questionTimeoutMs: 120_000,
};

/** Source: specification of the hub. */
const RETRY: Complete<RetryOptions> = {
  ...BACKOFF,
  attempts: 5,
  policy: "safe",
};

/** Milliseconds of a wait, without an end if wished. */
const delay = fitting(
  "milliseconds, 0 or more",
  (value) => typeof value === "number" && value >= 0,
);

const OPTIONS: Fields<HubOptions> = {
  onFailure: oneOf("strict", "partial"),
  onElicitation: callback,
  onSampling: callback,
  roots: callback,
  questionTimeoutMs: duration,
  retry: object<RetryOptions>({
    attempts: integer({ min: 1 }),
    baseMs: delay,
    capMs: delay,
    policy: oneOf("safe", "always"),
  }),
  classifier: callback,
  connect: callback,
  metrics: object<HubMetrics>({ request: callback }),
  onListChanged: callback,
  onWarning: callback,
  clock,
  random: callback,
};

/** Checks the options of a hub and fills in defaults; throws `ConfigError`. */
export function readOptions(options: HubOptions = {}): HubSettings {
  const given: unknown = options;
  plainObject(given, "options");
  checkKeys(given, OPTIONS, "");
  return {
    ...options,
    ...filled<Defaulted>(DEFAULTS, options),
    clock: fullClock(options.clock ?? systemClock),
    retry: filled(RETRY, options.retry),
  };
}
