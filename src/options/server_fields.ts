import { isObject } from "../errors/text.ts";
import type {
  McpRemoteConfig,
  McpSdkConfig,
  McpServerInstance,
  McpStdioConfig,
} from "../types/mcp.ts";
import {
  callback,
  type Check,
  duration,
  either,
  fitting,
  flag,
  isText,
  list,
  named,
  object,
  oneOf,
  record,
  string,
  stringWithoutNul,
  text,
  variants,
} from "./fields.ts";
import type { PlainObject } from "./plain_object.ts";
import { contradict, refuse } from "./refuse.ts";
import { toolName } from "./tool_spec.ts";

export const variableName: Check = named(
  /^[^=\0]+$/,
  'has an invalid variable name, which is empty or holds "=" or a null character',
);

const headerName = named(/^[\w!#$%&'*+.^`|~-]+$/, "has an invalid header name");

const headerValue: Check = (value, key) => {
  string(value, key);
  // A line break would let a value add headers of its own.
  if (/[\r\n\0]/.test(String(value))) {
    refuse(key, value, "without line breaks and null characters");
  }
};

const serverName = named(
  /^(?!\s)[^\0]+(?<!\s)$/,
  "has an invalid name of a server, which is empty or has blanks at its ends",
);

/** Passwords and tokens may stand in an address, so that a wrong one is not shown. */
const webAddress: Check = (value, key) => {
  const isAddress = (isText(value) || value instanceof URL) &&
    URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
  const shown = isText(value) || value instanceof URL ? "a text" : value;
  if (!isAddress) refuse(key, shown, "an absolute http or https address");
};

const common = {
  via: oneOf("sdk", "cli"),
  connectTimeoutMs: duration,
  callTimeoutMs: duration,
};

const remote = object<McpRemoteConfig>({
  type: oneOf("http", "sse"),
  url: webAddress,
  headers: record(headerValue, headerName),
  fetch: callback,
  ...common,
}, ["url"]);

/** A server without a kind is a program. */
const config = variants({
  stdio: object<McpStdioConfig>({
    type: oneOf("stdio"),
    command: text,
    args: list(stringWithoutNul),
    env: record(stringWithoutNul, variableName),
    inheritEnv: either(Array.isArray, list(text), flag),
    cwd: text,
    onStderr: callback,
    ...common,
  }, ["command"]),
  http: remote,
  sse: remote,
  sdk: object<McpSdkConfig>({
    type: oneOf("sdk"),
    instance: fitting(
      "a server from createMcpServer() or hub.asMcpServer(), or one with a connect(transport) method",
      isInstance,
    ),
  }, ["instance"]),
}, ({ url }) => url === undefined ? "stdio" : undefined);

/** Keys without effect where the CLI connects the server. */
const OF_SLUICE = ["inheritEnv", "cwd", "onStderr", "fetch"] as const;

const server = either(
  isInstance,
  () => {},
  fitting(
    "a server: a configuration, createMcpServer({ name, tools }) or hub.asMcpServer()",
    (value) =>
      isObject(value) && !isHub(value) && toolName(value) === undefined,
    (value, key) => {
      config(value, key);
      const given = value as PlainObject;
      for (const name of given.via === "cli" ? OF_SLUICE : []) {
        if (given[name] === undefined) continue;
        const why = 'has no effect with via "cli": the CLI connects the server';
        contradict(`${key}.${name}`, given[name], why);
      }
    },
  ),
);

export const mcpServers: Check = fitting(
  "an object with a name for each server: { calc: createMcpServer({ name, tools }) }",
  (value) =>
    isObject(value) && !isInstance(value) && toolName(value) === undefined,
  record(server, serverName),
);

/** Whether that is a server of this program: ours (`open`), or anything with `connect(transport)`. */
export function isInstance(value: unknown): value is McpServerInstance {
  return isObject<unknown>(value) && !isHub(value) &&
    (typeof value.open === "function" || typeof value.connect === "function");
}

/** A hub connects as well, and would never answer. */
function isHub(value: unknown): boolean {
  return isObject<unknown>(value) && "asMcpServer" in value;
}
