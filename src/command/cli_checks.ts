import { systemClock } from "../async/system_clock.ts";
import { isTooOld, oldCli } from "../cli/version.ts";
import { Client } from "../client.ts";
import { discoverCli } from "../local_cli.ts";
import { isObject } from "../errors/is_object.ts";
import { LOG_IN } from "../errors/result.ts";
import { textOfError } from "../errors/text.ts";
import type { McpServerStatus } from "../protocol/control_host.ts";
import type { DiscoveryAttempt } from "../types/health.ts";
import type { AccountInfo, SessionInfo } from "../protocol/session.ts";
import { type Finding, INSTALL_CLI } from "./finding.ts";
import type { CliFlags } from "./flags.ts";

/** How long the CLI may take to answer, in milliseconds. */
const CONNECT_MS = 10_000;
/** How long servers may take to connect, in milliseconds. */
const SERVERS_MS = 5_000;
const LOOK_MS = 50;

/** Every place where the CLI was looked for; the empty ones in one line, and their number where one was found. */
export async function checkPlaces(
  { cli, cwd }: CliFlags,
): Promise<readonly Finding[]> {
  const { attempts, path, version } = await discoverCli({ cliPath: cli, cwd });
  const empty = attempts.filter(({ outcome }) => outcome === "missing");
  const found = attempts.filter(({ outcome }) => outcome !== "missing")
    .map((attempt) => toFinding(attempt, attempt.path === path));
  const isNamed = attempts.some(({ source }) =>
    source === "option" || source === "environment"
  );
  const isFound = path !== undefined && version !== undefined;
  const list = empty.map((one) => one.path);
  const looked: Finding[] = list.length === 0 ? [] : [{
    check: "cli",
    status: "note",
    text: `Nothing at ${list.length} ${
      isFound ? "other " : ""
    }places: --json names them`,
    data: { missing: list },
  }];
  if (isFound) return [...found, ...looked];
  return [...found, ...looked, {
    check: "cli",
    status: "error",
    text: "No Claude Code CLI was found that works",
    fix: isNamed
      ? "name one that works with --cli or CLAUDE_CLI_PATH, or unset CLAUDE_CLI_PATH to have it searched for"
      : INSTALL_CLI,
  }];
}

function toFinding(attempt: DiscoveryAttempt, isUsed: boolean): Finding {
  const { outcome, path, reason, source, version } = attempt;
  const data = { ...attempt, isUsed };
  if (version !== undefined) {
    const text = `${path} is ${version}${
      isUsed ? ", the one in use" : ""
    } (${source})`;
    return isTooOld(version)
      ? {
        check: "cli",
        status: isUsed ? "error" : "warning",
        text: oldCli(path, version),
        fix: "claude update",
        data,
      }
      : { check: "cli", status: isUsed ? "ok" : "note", text, data };
  }
  const text = `${path}: ${outcome}${
    reason === undefined ? "" : `, ${reason}`
  }`;
  return outcome === "skipped"
    ? { check: "cli", status: "note", text, data }
    : {
      check: "cli",
      status: "warning",
      text,
      fix: "remove it, or install it again",
      data,
    };
}

/** What a conversation with the CLI would find: a real `initialize`, the login, the MCP servers of the project. */
export async function checkSession(
  { cli, cwd }: CliFlags,
  signal: AbortSignal,
): Promise<{
  readonly findings: readonly Finding[];
  /** Whether the CLI's settings switch the sandbox on. */
  readonly isSandboxed: boolean;
}> {
  const client = new Client({
    cliPath: cli,
    cwd,
    signal,
    timeouts: { connectMs: CONNECT_MS },
    shutdown: { graceMs: 500, killMs: 2_000, forwardSignals: false },
  });
  const began = performance.now();
  try {
    const info = await client.connect();
    const ms = Math.round(performance.now() - began);
    const [servers, sandbox] = await Promise.all([
      serversOf(client),
      client.settings().then(({ effective }) => effective.sandbox, () => {}),
    ]);
    return {
      findings: [
        toAnswer(info, ms),
        toLogin(info),
        ...conflictIn(info),
        ...servers.map(toServer),
      ],
      isSandboxed: isObject(sandbox) && sandbox["enabled"] === true,
    };
  } catch (error) {
    if (signal.aborted) throw error;
    return {
      findings: [{
        check: "initialize",
        status: "error",
        text: textOfError(error),
        fix:
          "start the CLI by hand in this folder: it may want an answer first, or say more",
      }],
      isSandboxed: false,
    };
  } finally {
    await client.close();
  }
}

function toAnswer(info: SessionInfo, ms: number): Finding {
  const { agents, capabilities = [], commands, models } = info;
  const version = info.claude_code_version ?? "unknown version";
  return {
    check: "initialize",
    status: "ok",
    text:
      `${version} answered after ${ms} ms: ${models.length} models, ${agents.length} agents, ${commands.length} commands`,
    data: {
      ms,
      version,
      models: models.length,
      agents: agents.length,
      commands: commands.length,
      capabilities,
    },
  };
}

/** By which way it pays; never the key itself. */
function toLogin({ account }: SessionInfo): Finding {
  const { apiKeySource, apiProvider, subscriptionType, tokenSource } = account;
  const data = {
    apiProvider: apiProvider ?? null,
    apiKeySource: apiKeySource ?? null,
    tokenSource: tokenSource ?? null,
    subscriptionType: subscriptionType ?? null,
  };
  const way = wayOf(account);
  return way === undefined
    ? {
      check: "login",
      status: "error",
      text: "Not logged in, and no API key",
      fix: LOG_IN,
      data,
    }
    : { check: "login", status: "ok", text: way, data };
}

function wayOf(
  { apiKeySource, apiProvider, subscriptionType, tokenSource }: AccountInfo,
): string | undefined {
  if (apiProvider !== undefined && apiProvider !== "firstParty") {
    return `Pays by ${apiProvider}`;
  }
  if (apiKeySource && apiKeySource !== "none") {
    return `API key from ${apiKeySource}`;
  }
  if (tokenSource && tokenSource !== "none") {
    return `Logged in, token from ${tokenSource}${
      subscriptionType ? ` (${subscriptionType})` : ""
    }`;
  }
  return undefined;
}

function conflictIn(
  { auth_conflict: conflict }: SessionInfo,
): readonly Finding[] {
  if (conflict === undefined) return [];
  const { api_key_source: key, token_source: token } = conflict;
  return [{
    check: "login",
    status: "warning",
    text: `Two credentials contradict each other: ${token} and ${key}`,
    fix: "unset one of them",
  }];
}

/** How the servers stand when all have connected or failed, or time is up. */
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
  const what = `MCP server "${name}" (${scope})`;
  switch (status) {
    case "connected": {
      const count = tools === undefined ? "" : `, ${tools.length} tools`;
      const version = serverInfo?.version ?? "of an unknown version";
      const text = `${what} is there: ${serverInfo?.name ?? name} ${version}`;
      return { check: "mcp", status: "ok", text: text + count, data };
    }
    case "disabled":
      return { check: "mcp", status: "note", text: `${what} is off`, data };
    case "needs-auth":
      return {
        check: "mcp",
        status: "warning",
        text: `${what} wants a login`,
        fix: "start claude, type /mcp and log in there",
        data,
      };
    case "pending":
      return {
        check: "mcp",
        status: "warning",
        text: `${what} did not connect within ${SERVERS_MS} ms`,
        fix: "start it by hand to see what it waits for",
        data,
      };
    default:
      return {
        check: "mcp",
        status: "error",
        text: `${what} ${status}${error === undefined ? "" : `: ${error}`}`,
        fix:
          `look at its entry in the ${scope} configuration, or remove it: claude mcp remove ${name}`,
        data,
      };
  }
}
