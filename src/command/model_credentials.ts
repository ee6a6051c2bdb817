import { systemClock } from "../async/system_clock.ts";
import { askProgram } from "../cli/ask_program.ts";
import { LOG_IN } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { FullClock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { isWindows, resolvePath } from "../process/paths.ts";
import type { AccountInfo } from "../protocol/session.ts";
import { type Finding, finding, permissionFix } from "./finding.ts";

/** Settings that decide how the CLI reaches the model. */
export interface ModelPlace {
  readonly host: Host;
  /** The environment of the CLI: that of this program below that of the settings. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly account: AccountInfo;
  /** The model in use, as the API calls it. */
  readonly model: string;
  /** The command of the settings that prints the key. */
  readonly apiKeyHelper?: string | undefined;
  /** The folder with the login of the CLI. */
  readonly configFolder?: string | undefined;
  /** Where settings hold a key: `file:line`; undefined where none does. */
  locate(...keys: readonly string[]): string | undefined;
  readonly clock?: FullClock;
  readonly signal?: AbortSignal;
}

/** How long the helper may take, in milliseconds. */
const HELPER_MS = 10_000;
export const TRY = "sluice run 'Say hello' tries it, for a few tokens";

export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  /** Values that no text may show. */
  readonly secrets: readonly string[];
  /** Their names, and where they stand. */
  readonly source: string;
  readonly fix: string;
}

/** A variable and where it is set. */
export function sourceOf({ locate }: ModelPlace, name: string): string {
  const place = locate("env", name);
  return place === undefined ? name : `${name} in ${place}`;
}

/** The credentials that the CLI sends, in the order observed. */
export async function credentialsOf(
  place: ModelPlace,
): Promise<Credentials | Finding> {
  const { account, apiKeyHelper, env } = place;
  const custom = (env["ANTHROPIC_CUSTOM_HEADERS"] ?? "").split(/\r?\n/)
    .flatMap((line) => {
      const [, name = "", value = ""] = /^([^:]+):(.*)$/.exec(line) ?? [];
      return name === "" ? [] : [[name.trim().toLowerCase(), value.trim()]];
    });
  let key = env["ANTHROPIC_API_KEY"] || undefined;
  let token = env["ANTHROPIC_AUTH_TOKEN"] || undefined;
  const sources = [
    ...token === undefined ? [] : [sourceOf(place, "ANTHROPIC_AUTH_TOKEN")],
    ...key === undefined ? [] : [sourceOf(place, "ANTHROPIC_API_KEY")],
  ];
  let login: Login | undefined;
  if (
    apiKeyHelper !== undefined && (key === undefined || token === undefined)
  ) {
    const settings = place.locate("apiKeyHelper") ?? "the settings";
    const where = `apiKeyHelper in ${settings}`;
    try {
      const printed = await runHelper(place, apiKeyHelper);
      key ??= printed;
      token ??= printed;
      sources.push(where);
    } catch (error) {
      place.signal?.throwIfAborted();
      const problem = textOfError(error);
      const text = `${where} failed: ${problem}`;
      const permission = permissionFix(problem);
      const run = "run its command by hand: it has to print the key";
      return permission === undefined
        ? finding("model", "error", text, run)
        : finding("model", "unproven", text, permission);
    }
  } else if (key === undefined && token === undefined) {
    login = await loginOf(place);
    if (login !== undefined) sources.push(login.source);
    else if (!isLoggedOut(account) && custom.length === 0) {
      const text =
        "The login was not tried: it is kept where only the CLI reads it, or has to be renewed";
      return finding("model", "unproven", text, TRY);
    }
  }
  const bearer = token ?? login?.token;
  return {
    headers: {
      ...Object.fromEntries(custom),
      ...key !== undefined && { "x-api-key": key },
      ...bearer !== undefined && { authorization: `Bearer ${bearer}` },
      ...login !== undefined && { "anthropic-beta": "oauth-2025-04-20" },
    },
    secrets: [key, bearer, ...custom.map(([, value]) => value)]
      .filter((one) => one !== undefined).filter((one) => one.length > 3),
    source: sources.join(" and "),
    fix: login?.fix ?? `correct ${sources.join(" or ")}`,
  };
}

/** Whether the CLI has nothing to pay with; a login from its own files names no source at all. */
export function isLoggedOut(
  { apiKeySource = "none", apiProvider = "firstParty", tokenSource }:
    AccountInfo,
): boolean {
  return apiProvider === "firstParty" && apiKeySource === "none" &&
    tokenSource === "none";
}

interface Login {
  readonly token: string;
  readonly source: string;
  readonly fix: string;
}

/** The token of a login; undefined where the CLI alone can get at it. */
async function loginOf(
  { clock = systemClock, configFolder, env, host }: ModelPlace,
): Promise<Login | undefined> {
  const own = env["CLAUDE_CODE_OAUTH_TOKEN"];
  if (own) {
    const fix = "make a new one: claude setup-token";
    return { token: own, source: "CLAUDE_CODE_OAUTH_TOKEN", fix };
  }
  if (configFolder === undefined) return undefined;
  const path = resolvePath(configFolder, ".credentials.json", host.platform);
  try {
    const text = await host.files.readText(path);
    const { accessToken: token, expiresAt } = JSON.parse(text).claudeAiOauth;
    // The CLI renews one that is over.
    return typeof token === "string" && expiresAt > clock.now()
      ? { token, source: "the login", fix: LOG_IN }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The key that the helper prints, which the CLI runs by a shell as well. */
async function runHelper(
  { clock = systemClock, cwd, env, host, signal }: ModelPlace,
  command: string,
): Promise<string> {
  const windows = isWindows(host.platform);
  const { exit: { code }, text } = await askProgram(host, {
    command: windows ? env["ComSpec"] ?? "cmd.exe" : "/bin/sh",
    args: windows ? ["/d", "/s", "/c", `"${command}"`] : ["-c", command],
    isVerbatim: windows,
    cwd,
    env,
  }, {
    clock,
    signal,
    ms: HELPER_MS,
    late: new Error(`nothing in ${HELPER_MS} ms`),
  });
  const key = text.trim();
  if (code !== 0) throw new Error(`exit code ${code}`);
  if (key === "") throw new Error("it prints nothing");
  if (/\s/.test(key)) throw new Error("it prints more than a key");
  return key;
}
