import { settleWithin } from "../async/deadline.ts";
import { systemClock } from "../async/system_clock.ts";
import { Client } from "../client.ts";
import { asObject, LOG_IN, textOfError } from "../errors/text.ts";
import { resolvePath } from "../process/paths.ts";
import type { McpServerStatus } from "../protocol/control_replies.ts";
import type { AccountInfo, SessionInfo } from "../protocol/session.ts";
import { host } from "../runtime/host.ts";
import type { JsonObject } from "../types/json.ts";
import type { AgentOptions } from "../types/options.ts";
import type { SettingsMistake } from "./config_checks.ts";
import { type Finding, finding } from "./finding.ts";
import { isLoggedOut, type ModelReport } from "./model_check.ts";

/** Timeouts of the CLI's answer, and of counting tokens by the model, in milliseconds. */
const CONNECT_MS = 10_000;
const COUNT_MS = 10_000;
/** Timeout of connecting the servers, and interval of the checks, in milliseconds. */
const SERVERS_MS = 5_000;
const LOOK_MS = 50;

const COUNT_FAILED = /countTokens API call failed: (.*)/;
const SKIPPED = /Invalid setting skipped[^:]*: (.+?\.json): ([^:]*): (.+)/g;
const HELPER_FAILED = /^apiKeyHelper failed: (.*)/;

/** The setup that the CLI uses. */
export interface CliReport {
  readonly info: SessionInfo;
  readonly servers: readonly McpServerStatus[];
  /** Its settings, from all files; empty where it does not report them. */
  readonly effective: JsonObject;
  /** Variables that its settings set. */
  readonly env: Readonly<Record<string, string>>;
  readonly model: Pick<
    ModelReport,
    "model" | "hasCounted" | "failure" | "helperFailure"
  >;
  /** Mistakes in its settings; absent where it does not report them. */
  readonly mistakes?: readonly SettingsMistake[] | undefined;
}

/** Checks with a real `initialize`: the login, the MCP servers of the project, and the way to the model. */
export async function checkSession(
  options: Pick<AgentOptions, "cliPath" | "cwd"> & {
    readonly signal: AbortSignal;
  },
): Promise<
  { readonly findings: readonly Finding[]; readonly report?: CliReport }
> {
  const { files, platform } = await host();
  const { signal } = options;
  // The CLI logs there why the model did not count.
  const folder = await files.makeTemporaryDirectory("sluice-doctor-")
    .catch(() => undefined);
  const debugFile = folder && resolvePath(folder, "debug.log", platform);
  let helperFailure: string | undefined;
  const client = new Client({
    ...options,
    debugFile,
    timeouts: { connectMs: CONNECT_MS },
    shutdown: { graceMs: 500, killMs: 2_000, forwardSignals: false },
    onStderr: (line) => void (helperFailure ??= HELPER_FAILED.exec(line)?.[1]),
  });
  const began = performance.now();
  try {
    const info = await client.connect();
    const ms = Math.round(performance.now() - began);
    const usage = client.contextUsage().catch(() => ({ categories: [] }));
    const [servers, settings, counted] = await Promise.all([
      serversOf(client),
      client.settings().catch(() => undefined),
      settleWithin(usage, COUNT_MS, systemClock),
    ]);
    signal.throwIfAborted();
    await client.close();
    const log = debugFile === undefined
      ? ""
      : await files.readText(debugFile).catch(() => "");
    const late = counted === undefined
      ? `no answer in ${COUNT_MS} ms`
      : undefined;
    const { applied, effective = {}, errors } = settings ?? {};
    const env = asObject(effective["env"]);
    return {
      findings: [
        toAnswer(info, ms),
        toLogin(info.account),
        ...conflictIn(info),
        ...servers.map(toServer),
      ],
      report: {
        info,
        servers,
        effective,
        mistakes: settings && [...errors ?? [], ...skippedIn(log)],
        env: Object.fromEntries(
          Object.entries(env).map(([name, value]) => [name, String(value)]),
        ),
        model: {
          model: applied?.model ?? info.models[0]?.resolvedModel ?? "the model",
          // An estimate has none of these.
          hasCounted: counted?.categories.some(({ name, tokens }) =>
            name === "Messages" && tokens > 0
          ) ?? false,
          failure: COUNT_FAILED.exec(log)?.[1] ?? late,
          helperFailure,
        },
      },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const fix =
      "start the CLI by hand in this folder: it may want an answer first, or say more";
    return {
      findings: [finding("initialize", "error", textOfError(error), fix)],
    };
  } finally {
    await client.close();
    if (folder !== undefined) await files.remove(folder);
  }
}

/** Settings that the CLI logs as ignored, such as hooks for unknown events. */
function skippedIn(log: string): readonly SettingsMistake[] {
  return [...log.matchAll(SKIPPED)]
    .map(([, file = "", path = "", message = ""]) => ({ file, path, message }));
}

function toAnswer(info: SessionInfo, ms: number): Finding {
  const { capabilities = [] } = info;
  const version = info.claude_code_version ?? "unknown version";
  const [models, agents, commands] = [info.models, info.agents, info.commands]
    .map((list) => list.length);
  const text =
    `${version} answered after ${ms} ms: ${models} models, ${agents} agents, ${commands} commands`;
  const data = { ms, version, models, agents, commands, capabilities };
  return finding("initialize", "ok", text, undefined, data);
}

/** By which way it pays; never the key itself. */
function toLogin(account: AccountInfo): Finding {
  const {
    apiKeySource = null,
    apiProvider = null,
    subscriptionType = null,
    tokenSource = null,
  } = account;
  const data = { apiProvider, apiKeySource, tokenSource, subscriptionType };
  if (isLoggedOut(account)) {
    const text = "Not logged in, and no API key";
    return finding("login", "error", text, LOG_IN, data);
  }
  const plan = subscriptionType ? ` (${subscriptionType})` : "";
  const source = tokenSource === null ? "" : `, token from ${tokenSource}`;
  const way = apiProvider !== null && apiProvider !== "firstParty"
    ? `Pays by ${apiProvider}`
    : apiKeySource && apiKeySource !== "none"
    ? `API key from ${apiKeySource}`
    : `Logged in${source}${plan}`;
  return finding("login", "ok", way, undefined, data);
}

function conflictIn(
  { auth_conflict: conflict }: SessionInfo,
): readonly Finding[] {
  if (conflict === undefined) return [];
  const { api_key_source: key, token_source: token } = conflict;
  const text = `Two credentials contradict each other: ${token} and ${key}`;
  return [finding("login", "warning", text, "unset one of them")];
}

/** The state of the servers when all have connected or failed, or time is up. */
async function serversOf(client: Client): Promise<readonly McpServerStatus[]> {
  const end = performance.now() + SERVERS_MS;
  for (;;) {
    const { mcpServers } = await client.mcpStatus();
    const isWaiting = mcpServers.some(({ status }) => status === "pending");
    if (!isWaiting || performance.now() > end) return mcpServers;
    await systemClock.sleep(LOOK_MS);
  }
}

/** Its configuration may hold secrets, and is left out. */
function toServer(
  { error, name, scope = "unknown", serverInfo, status, tools }:
    McpServerStatus,
): Finding {
  const data = { name, status, scope, error: error ?? null };
  const found = (status: Finding["status"], text: string, fix?: string) => {
    const whole = `MCP server "${name}" (${scope}) ${text}`;
    return finding("mcp", status, whole, fix, data);
  };
  switch (status) {
    case "connected": {
      const count = tools === undefined ? "" : `, ${tools.length} tools`;
      const version = serverInfo?.version ?? "of an unknown version";
      const text = `is there: ${serverInfo?.name ?? name} ${version}${count}`;
      return found("ok", text);
    }
    case "disabled":
      return found("note", "is off");
    case "needs-auth":
      return found("warning", "wants a login", "type /mcp in claude");
    case "pending": {
      const text = `did not connect within ${SERVERS_MS} ms`;
      return found(
        "warning",
        text,
        "start it by hand to see what it waits for",
      );
    }
    default: {
      const text = error === undefined ? status : `${status}: ${error}`;
      const fix =
        `look at its entry in the ${scope} configuration, or remove it: claude mcp remove ${name}`;
      return found("error", text, fix);
    }
  }
}
