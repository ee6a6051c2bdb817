import { systemClock } from "../async/system_clock.ts";
import { isTooOld, oldCli } from "../cli/report.ts";
import { Client } from "../client.ts";
import { isObject, textOfError } from "../errors/text.ts";
import { LOG_IN } from "../errors/base.ts";
import { discoverCli } from "../local_cli.ts";
import { resolvePath } from "../process/paths.ts";
import type { McpServerStatus } from "../protocol/control_host.ts";
import type { AccountInfo, SessionInfo } from "../protocol/session.ts";
import { host } from "../runtime/host.ts";
import type { DiscoveryAttempt } from "../types/activity.ts";
import { VERSION } from "../version.ts";
import {
  type CliFlags,
  DONE,
  FAILED,
  INSTALL_CLI,
  type Screen,
  untilEnded,
} from "./command_line.ts";
import {
  checkDisk,
  checkLeftOver,
  checkNetwork,
  checkRuntime,
  checkSandbox,
  type Finding,
  finding,
  showFinding,
} from "./machine_checks.ts";

interface DoctorFlags extends CliFlags {
  readonly fix?: boolean;
}

/** Looks at everything that an agent needs, and tells each part when it and those before it are known. */
export function doctor(flags: DoctorFlags, on: Screen): Promise<number> {
  const { fix = false, json } = flags;
  return untilEnded(on.program, async (signal) => {
    const self = await host();
    const cwd = resolvePath(self.cwd(), flags.cwd ?? "", self.platform);
    const places = checkPlaces(flags);
    // Two questions at once would only wait for each other, unless the first finds nothing.
    const session = places.then((found) =>
      found.some(isBroken)
        ? { findings: [], isSandboxed: false }
        : checkSession(flags, signal)
    );
    const parts: readonly (readonly [string, Promise<readonly Finding[]>])[] = [
      ["Runtime", Promise.resolve(checkRuntime(self))],
      ["CLI", places],
      ["Session", session.then(({ findings }) => findings)],
      ["Network", checkNetwork(self)],
      [
        "Machine",
        Promise.all([
          checkDisk(self, cwd),
          checkLeftOver(self, fix),
          session.then(({ isSandboxed }) => checkSandbox(self, isSandboxed)),
        ]).then((all) => all.flat()),
      ],
    ];
    // One that fails is told when its turn comes.
    for (const [, part] of parts) part.catch(() => {});
    const all: Finding[] = [];
    for (const [title, part] of parts) {
      const found = await part;
      all.push(...found);
      if (json || found.length === 0) continue;
      const lines = found.map((one) => showFinding(one, on.out));
      await on.write(`${on.out.bold(title)}\n${lines.join("\n")}\n`);
    }
    const broken = all.filter(isBroken).length;
    const isHealthy = broken === 0;
    if (json) await on.json({ sluice: VERSION, isHealthy, findings: all });
    else {
      const { green, red } = on.out;
      const warnings = all.filter(({ status }) => status === "warning").length;
      const also = warnings === 0 ? "" : `, ${count(warnings, "warning")}`;
      const verdict = isHealthy
        ? green("Agents can run here")
        : red(`${count(broken, "thing")} broken`);
      await on.write(`\n${verdict}${also}\n`);
    }
    return isHealthy ? DONE : FAILED;
  });
}

function isBroken({ status }: Finding): boolean {
  return status === "error";
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** How long the CLI may take to answer, in milliseconds. */
const CONNECT_MS = 10_000;
/** How long servers may take to connect, in milliseconds. */
const SERVERS_MS = 5_000;
const LOOK_MS = 50;

/** Every place where the CLI was looked for; the empty ones in one line, and their number where one was found. */
async function checkPlaces(
  { cli, cwd }: CliFlags,
): Promise<readonly Finding[]> {
  const { attempts, path, version } = await discoverCli({ cliPath: cli, cwd });
  const empty = attempts.filter(({ outcome }) => outcome === "missing");
  const all = attempts.filter(({ outcome }) => outcome !== "missing")
    .map((attempt) => toFinding(attempt, attempt.path === path));
  const isNamed = attempts.some(({ source }) =>
    source === "option" || source === "environment"
  );
  const isFound = path !== undefined && version !== undefined;
  const missing = empty.map((one) => one.path);
  if (missing.length > 0) {
    const other = isFound ? "other " : "";
    const text =
      `Nothing at ${missing.length} ${other}places: --json names them`;
    all.push(finding("cli", "note", text, { data: { missing } }));
  }
  if (isFound) return all;
  const fix = isNamed
    ? "name one that works with --cli or CLAUDE_CLI_PATH, or unset CLAUDE_CLI_PATH to have it searched for"
    : INSTALL_CLI;
  const text = "No Claude Code CLI was found that works";
  return [...all, finding("cli", "error", text, { fix })];
}

function toFinding(attempt: DiscoveryAttempt, isUsed: boolean): Finding {
  const { outcome, path, reason, source, version } = attempt;
  const data = { ...attempt, isUsed };
  if (version !== undefined) {
    if (isTooOld(version)) {
      const text = oldCli(path, version);
      const fix = "claude update";
      return finding("cli", isUsed ? "error" : "warning", text, { fix, data });
    }
    const used = isUsed ? ", the one in use" : "";
    const text = `${path} is ${version}${used} (${source})`;
    return finding("cli", isUsed ? "ok" : "note", text, { data });
  }
  const why = reason === undefined ? "" : `, ${reason}`;
  const text = `${path}: ${outcome}${why}`;
  if (outcome === "skipped") return finding("cli", "note", text, { data });
  const fix = "remove it, or install it again";
  return finding("cli", "warning", text, { fix, data });
}

/** What a conversation with the CLI would find: a real `initialize`, the login, the MCP servers of the project. */
async function checkSession(
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
    const fix =
      "start the CLI by hand in this folder: it may want an answer first, or say more";
    const text = textOfError(error);
    return {
      findings: [finding("initialize", "error", text, { fix })],
      isSandboxed: false,
    };
  } finally {
    await client.close();
  }
}

function toAnswer(info: SessionInfo, ms: number): Finding {
  const { capabilities = [] } = info;
  const version = info.claude_code_version ?? "unknown version";
  const [models, agents, commands] = [info.models, info.agents, info.commands]
    .map((list) => list.length);
  const text =
    `${version} answered after ${ms} ms: ${models} models, ${agents} agents, ${commands} commands`;
  const data = { ms, version, models, agents, commands, capabilities };
  return finding("initialize", "ok", text, { data });
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
  if (way !== undefined) return finding("login", "ok", way, { data });
  const text = "Not logged in, and no API key";
  return finding("login", "error", text, { fix: LOG_IN, data });
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
    const plan = subscriptionType ? ` (${subscriptionType})` : "";
    return `Logged in, token from ${tokenSource}${plan}`;
  }
  return undefined;
}

function conflictIn(
  { auth_conflict: conflict }: SessionInfo,
): readonly Finding[] {
  if (conflict === undefined) return [];
  const { api_key_source: key, token_source: token } = conflict;
  const text = `Two credentials contradict each other: ${token} and ${key}`;
  return [finding("login", "warning", text, { fix: "unset one of them" })];
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
  const found = (status: Finding["status"], text: string, fix?: string) =>
    finding("mcp", status, `${what} ${text}`, { fix, data });
  switch (status) {
    case "connected": {
      const count = tools === undefined ? "" : `, ${tools.length} tools`;
      const version = serverInfo?.version ?? "of an unknown version";
      const text = `is there: ${serverInfo?.name ?? name} ${version}${count}`;
      return found("ok", text);
    }
    case "disabled":
      return found("note", "is off");
    case "needs-auth": {
      const fix = "start claude, type /mcp and log in there";
      return found("warning", "wants a login", fix);
    }
    case "pending": {
      const text = `did not connect within ${SERVERS_MS} ms`;
      const fix = "start it by hand to see what it waits for";
      return found("warning", text, fix);
    }
    default:
      return found(
        "error",
        error === undefined ? status : `${status}: ${error}`,
        `look at its entry in the ${scope} configuration, or remove it: claude mcp remove ${name}`,
      );
  }
}
