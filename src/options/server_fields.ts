import { ConfigError } from "../errors/base.ts";
import { isObject, REDACTED } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";
import type {
  McpRemoteConfig,
  McpSdkConfig,
  McpServerConfig,
  McpServerInput,
  McpServerInstance,
  McpStdioConfig,
} from "../types/mcp.ts";
import {
  callback,
  type Check,
  duration,
  either,
  flag,
  list,
  named,
  object,
  oneOf,
  record,
  string,
  stringWithoutNul,
  text,
} from "./fields.ts";
import { plainObject } from "./plain_object.ts";
import { contradict, refuse } from "./refuse.ts";
import { toolName } from "./tool_spec.ts";

export const variableName: Check = named(
  /^[^=\0]+$/,
  'has an invalid variable name, which is empty or holds "=" or a null character',
);

const headerName = named(
  /^[\w!#$%&'*+.^`|~-]+$/,
  "has an invalid header name",
);

const common = {
  via: oneOf("sdk", "cli"),
  connectTimeoutMs: duration,
  callTimeoutMs: duration,
};

const stdio = object<McpStdioConfig>({
  type: oneOf("stdio"),
  command: text,
  args: list(stringWithoutNul),
  env: record(stringWithoutNul, variableName),
  inheritEnv: either(Array.isArray, list(text), flag),
  cwd: text,
  onStderr: callback,
  ...common,
}, ["command"]);

const remote = object<McpRemoteConfig>({
  type: oneOf("http", "sse"),
  url: webAddress,
  headers: record(headerValue, headerName),
  fetch: callback,
  ...common,
}, ["url"]);

const sdk = object<McpSdkConfig>({ type: oneOf("sdk"), instance }, [
  "instance",
]);

export type ServerConfigs = Readonly<Record<string, McpServerConfig>>;

/** The kind decides which keys exist. */
const KINDS: Readonly<Record<string, Check>> = {
  stdio,
  http: remote,
  sse: remote,
  sdk,
};
const kind = oneOf(...Object.keys(KINDS));

/** Keys without effect where the CLI connects the server. */
const OF_THE_CLI = {
  inheritEnv: "starts the server",
  cwd: "starts the server",
  onStderr: "starts the server",
  fetch: "makes the requests",
} as const;

export function mcpServers(value: unknown, key: string): void {
  const items = Array.isArray(value) ? value : [value];
  if (items.some((one) => toolName(one) !== undefined)) {
    refuse(key, value, `an object with ${OF_TOOLS}`);
  }
  if (Array.isArray(value) || isInstance(value)) {
    refuse(key, value, "an object with a name for each: { calc: server }");
  }
  record(server, serverName)(value, key);
}

const OF_TOOLS =
  "a server, not a tool; tools go into one, by createMcpServer({ name, tools })";

/** Servers by name, each as a configuration: those of this program may be given as they are. */
export function serverConfigs(
  servers: Readonly<Record<string, McpServerInput>>,
): ServerConfigs {
  return Object.fromEntries(
    Object.entries(servers).map(([name, one]) => [name, serverConfig(one)]),
  );
}

export function serverConfig<Config extends McpServerConfig>(
  given: Config | McpServerInstance,
): Config | McpSdkConfig {
  return isInstance(given) ? { type: "sdk", instance: given } : given;
}

/** Whether the CLI connects it, and not this package. */
export function isOfCli(
  config: McpServerConfig | undefined,
): config is McpStdioConfig | McpRemoteConfig {
  return config !== undefined && config.type !== "sdk" && config.via === "cli";
}

/** Whether that is a server of this program: ours (`open`), or anything with `connect(transport)`; no hub, which connects as well. */
export function isInstance(value: unknown): value is McpServerInstance {
  return isObject<unknown>(value) && !isHub(value) &&
    (typeof value.open === "function" || typeof value.connect === "function");
}

/** A hub connects as well, and would never answer. */
function isHub(value: unknown): boolean {
  return isObject<unknown>(value) && "asMcpServer" in value;
}

/** A server as the CLI takes it that is to connect it. Source: protocol reference, section Control requests. */
function wireServer(
  config: McpStdioConfig | McpRemoteConfig,
): JsonObject {
  const { callTimeoutMs: timeout } = config;
  const limit = timeout === undefined ? {} : { timeout };
  if ("url" in config) {
    const { type, url, headers } = config;
    return { type, url: String(url), ...(headers && { headers }), ...limit };
  }
  const { command, args = [], env } = config;
  // Without a list of arguments the CLI reports an error of its own.
  return { type: "stdio", command, args, ...(env && { env }), ...limit };
}

/**
 * Servers as configurations; those that are `undefined` are left out.
 *
 * @throws {ConfigError} If they are none
 */
export function checkedServers(
  given: Readonly<Record<string, McpServerInput>>,
): ServerConfigs {
  mcpServers(given, "mcpServers");
  const set = Object.entries(given).filter(([, one]) => one !== undefined);
  return serverConfigs(Object.fromEntries(set));
}

/** The servers that this package connects, and those that the CLI does. */
export function serversByOwner(
  servers: ServerConfigs,
): { readonly ours: ServerConfigs; readonly theirs: ServerConfigs } {
  const all = Object.entries(servers);
  return {
    ours: Object.fromEntries(all.filter(([, config]) => !isOfCli(config))),
    theirs: Object.fromEntries(all.filter(([, config]) => isOfCli(config))),
  };
}

/** MCP servers as the CLI takes them at run time; it connects them itself. */
export function wireServers(servers: ServerConfigs): JsonObject {
  return Object.fromEntries(
    Object.entries(servers).map(([name, config]) => {
      if (config.type !== "sdk") return [name, wireServer(config)];
      throw new ConfigError({
        message:
          `MCP server "${name}" cannot be added while running: in-process servers go into "mcpServers" of the options`,
        key: `servers.${name}.type`,
        value: config.type,
        fatal: false,
      });
    }),
  );
}

function serverName(name: unknown, key: string): void {
  if (typeof name !== "string" || name.trim() !== name || name === "") {
    refuse(key, name, "named without blanks at the ends and not empty");
  }
  stringWithoutNul(name, key);
}

/** A server without a kind is a program. */
function server(value: unknown, key: string): void {
  if (isInstance(value)) return;
  if (isHub(value)) refuse(key, value, "hub.asMcpServer()");
  if (toolName(value) !== undefined) refuse(key, value, OF_TOOLS);
  plainObject(value, key);
  const { url, via } = value;
  if (value.type === undefined && url !== undefined) {
    if (value.command === undefined) {
      refuse(`${key}.type`, undefined, '"http" or "sse" beside "url"');
    }
    const why =
      'contradicts "command": keep one of them, "url" with type "http" or "sse"';
    contradict(`${key}.url`, withoutSecrets(String(url)), why);
  }
  const { type = "stdio" } = value;
  kind(type, `${key}.type`);
  if (type === "sdk" && via !== undefined) {
    contradict(`${key}.via`, via, 'must be left out with type "sdk"');
  }
  KINDS[type as string]?.(value, key);
  for (const [name, does] of via === "cli" ? Object.entries(OF_THE_CLI) : []) {
    if (value[name] === undefined) continue;
    const why = `has no effect with via "cli": the CLI ${does}`;
    contradict(`${key}.${name}`, value[name], why);
  }
}

function webAddress(value: unknown, key: string): void {
  const must = "an absolute http or https address";
  if (typeof value !== "string" && !(value instanceof URL)) {
    refuse(key, value, `${must}, a string or a URL`);
  }
  const protocol = URL.canParse(value) ? new URL(value).protocol : "";
  if (protocol === "http:" || protocol === "https:") return;
  refuse(key, withoutSecrets(String(value)), must);
}

/** Passwords stand before the host, tokens in the query, which is redacted as a whole. */
function withoutSecrets(url: string): string {
  return url.replace(/\/\/[^@/]*@/, `//${REDACTED}@`)
    .replace(/[?#].*$/s, `?${REDACTED}`);
}

function instance(value: unknown, key: string): void {
  if (isInstance(value)) return;
  if (isHub(value)) {
    refuse(key, value, "a server, as hub.asMcpServer() gives one");
  }
  const must =
    "a server from createMcpServer() or one with a connect(transport) method";
  refuse(key, value, must);
}

/** A line break would let a value add headers of its own. */
function headerValue(value: unknown, key: string): void {
  string(value, key);
  if (/[\r\n\0]/.test(String(value))) {
    refuse(key, value, "without line breaks and null characters");
  }
}
