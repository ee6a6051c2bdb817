import { systemClock } from "../async/system_clock.ts";
import { isTooOld, oldCli } from "../cli/report.ts";
import { Client } from "../client.ts";
import { isObject, textOfError } from "../errors/text.ts";
import { LOG_IN } from "../errors/base.ts";
import { discoverCli } from "../local_cli.ts";
import { resolvePath } from "../process/paths.ts";
import type { Host } from "../ports/host.ts";
import type {
  McpServerStatus,
  SettingsReply,
} from "../protocol/control_host.ts";
import type { AccountInfo, SessionInfo } from "../protocol/session.ts";
import { host } from "../runtime/host.ts";
import type { DiscoveryAttempt } from "../types/activity.ts";
import type { JsonObject } from "../types/json.ts";
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
  checkServers,
  checkSettings,
  checkSyntax,
  configFolder,
  locate,
  readConfigFiles,
} from "./config_files.ts";
import { checkDefinitions } from "./definitions.ts";
import {
  type Finding,
  finding,
  permissionFix,
  showFinding,
} from "./finding.ts";
import { checkModel } from "./model_check.ts";
import { isLoggedOut } from "./model_credentials.ts";
import { checkRuntime } from "./runtime_check.ts";

/** Checks everything that an agent needs, and reports each part when it and those before it are known. */
export function doctor(flags: CliFlags, on: Screen): Promise<number> {
  const { json } = flags;
  return untilEnded(on.program, async (signal) => {
    const self = await host();
    const cwd = resolvePath(self.cwd(), flags.cwd ?? "", self.platform);
    const places = checkPlaces(flags);
    // Two questions at once would only wait for each other, unless the first finds nothing.
    const session = places.then((found) =>
      found.some(isBroken) ? { findings: [] } : checkSession(flags, signal)
    );
    const parts: readonly (readonly [string, Promise<readonly Finding[]>])[] = [
      ["Runtime", Promise.resolve(checkRuntime(self))],
      ["CLI", places],
      ["Session", session.then(({ findings }) => findings)],
      [
        "Configuration",
        session.then(({ told }) => checkConfiguration(self, cwd, told)),
      ],
      [
        "Model",
        session.then(({ told }) =>
          told === undefined ? [] : checkReach(self, cwd, told, signal)
        ),
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
    const number = (status: Finding["status"]) =>
      all.filter((one) => one.status === status).length;
    const [broken, unproven, warnings] = [
      number("error"),
      number("unproven"),
      number("warning"),
    ];
    const isHealthy = broken === 0;
    const isProven = isHealthy && unproven === 0;
    if (json) {
      await on.json({ sluice: VERSION, isHealthy, isProven, findings: all });
    } else {
      const { green, red, yellow } = on.out;
      const also = warnings === 0 ? "" : `, ${count(warnings, "warning")}`;
      const verdict = isProven
        ? green("Agents can run here")
        : isHealthy
        ? yellow(`Nothing is broken, ${count(unproven, "thing")} not proven`)
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
  const refused = attempts.map(({ reason = "" }) => permissionFix(reason))
    .find((one) => one !== undefined);
  const fix = refused ??
    (isNamed
      ? "name one that works with --cli or CLAUDE_CLI_PATH, or unset CLAUDE_CLI_PATH to have it searched for"
      : INSTALL_CLI);
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
  return finding("cli", "warning", text, { fix: fixOf(attempt), data });
}

function fixOf({ outcome, path, reason = "" }: DiscoveryAttempt): string {
  const permission = permissionFix(reason);
  if (permission !== undefined) return permission;
  if (reason.includes("chmod")) return `chmod +x "${path}"`;
  return outcome === "timeout"
    ? "start it by hand to see what it waits for"
    : "remove it, or install it again";
}

/** What the CLI reports of itself. */
interface Told {
  readonly info: SessionInfo;
  readonly servers: readonly McpServerStatus[];
  /** Absent where it does not tell. */
  readonly settings?: SettingsReply | undefined;
  /** The events that hooks can wait for. */
  readonly events: readonly string[];
}

/** What a conversation with the CLI would find: a real `initialize`, the login, the MCP servers of the project. */
async function checkSession(
  { cli, cwd }: CliFlags,
  signal: AbortSignal,
): Promise<{ readonly findings: readonly Finding[]; readonly told?: Told }> {
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
    const [servers, settings, events] = await Promise.all([
      serversOf(client),
      client.settings().catch(() => undefined),
      client.hooksListing().then(
        ({ eventCatalog }) => eventCatalog.map(({ name }) => name),
        () => [],
      ),
    ]);
    signal.throwIfAborted();
    return {
      findings: [
        toAnswer(info, ms),
        toLogin(info),
        ...conflictIn(info),
        ...servers.map(toServer),
      ],
      told: { info, servers, settings, events },
    };
  } catch (error) {
    if (signal.aborted) throw error;
    const fix =
      "start the CLI by hand in this folder: it may want an answer first, or say more";
    const text = textOfError(error);
    return { findings: [finding("initialize", "error", text, { fix })] };
  } finally {
    await client.close();
  }
}

/** The CLI's files, read here for the lines of mistakes, and beside what the CLI made of them. */
async function checkConfiguration(
  self: Host,
  cwd: string,
  told: Told | undefined,
): Promise<readonly Finding[]> {
  const files = await readConfigFiles(self, cwd);
  const found = [...checkSyntax(files)];
  if (told !== undefined) {
    const { events, info, servers, settings } = told;
    const { effective = {}, errors = [] } = settings ?? {};
    if (settings === undefined) {
      const text = "The CLI does not tell which settings hold";
      const fix = "claude update";
      found.push(finding("configuration", "unproven", text, { fix }));
    }
    const disabled = effective["disabledMcpjsonServers"];
    found.push(
      ...checkSettings(files, errors, events),
      ...checkServers(files, servers, {
        cwd,
        env: environmentOf(self, effective),
        disabled: Array.isArray(disabled) ? disabled.map(String) : [],
      }),
      ...await checkDefinitions(
        self,
        cwd,
        info.agents.map(({ name }) => name),
      ),
    );
  }
  if (found.length > 0 || files.length === 0) return found;
  const text = `${count(files.length, "file")} without a mistake`;
  const data = { files: files.map(({ path }) => path) };
  return [finding("configuration", "ok", text, { data })];
}

/** The environment of the CLI: settings win over that of the program. */
function environmentOf(
  self: Host,
  effective: JsonObject,
): Readonly<Record<string, string>> {
  const env = isObject(effective["env"]) ? effective["env"] : {};
  const texts = Object.entries(env).map(([name, value]) =>
    [name, String(value)] as const
  );
  return { ...self.env(), ...Object.fromEntries(texts) };
}

async function checkReach(
  self: Host,
  cwd: string,
  { info, settings }: Told,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const files = await readConfigFiles(self, cwd);
  const { applied, effective = {} } = settings ?? {};
  const helper = effective["apiKeyHelper"];
  const found = await checkModel({
    host: self,
    env: environmentOf(self, effective),
    cwd,
    account: info.account,
    model: applied?.model ?? info.models[0]?.resolvedModel ??
      "claude-sonnet-4-5",
    apiKeyHelper: typeof helper === "string" ? helper : undefined,
    configFolder: configFolder(self),
    locate: (...keys) => locate(files, ...keys),
    signal,
  });
  return [found];
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
  if (isLoggedOut(account)) {
    const text = "Not logged in, and no API key";
    return finding("login", "error", text, { fix: LOG_IN, data });
  }
  return finding("login", "ok", wayOf(account), { data });
}

function wayOf(
  { apiKeySource, apiProvider, subscriptionType, tokenSource }: AccountInfo,
): string {
  if (apiProvider !== undefined && apiProvider !== "firstParty") {
    return `Pays by ${apiProvider}`;
  }
  if (apiKeySource && apiKeySource !== "none") {
    return `API key from ${apiKeySource}`;
  }
  const plan = subscriptionType ? ` (${subscriptionType})` : "";
  const source = tokenSource === undefined ? "" : `, token from ${tokenSource}`;
  return `Logged in${source}${plan}`;
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
