import { systemClock } from "../async/system_clock.ts";
import { LOG_IN } from "../errors/base.ts";
import { textOfError } from "../errors/text.ts";
import type { Clock } from "../ports/clock.ts";
import type { Host } from "../ports/host.ts";
import { isWindows, resolvePath } from "../process/paths.ts";
import type { AccountInfo } from "../protocol/session.ts";
import {
  type Finding,
  finding,
  type FindingStatus,
  permissionFix,
} from "./finding.ts";

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
  readonly clock?: Clock;
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
      const at = line.indexOf(":");
      return at < 1 ? [] : [[line.slice(0, at), line.slice(at + 1)] as const];
    })
    .map(([name, value]) => [name.trim().toLowerCase(), value.trim()] as const);
  let key = env["ANTHROPIC_API_KEY"] || undefined;
  let token = env["ANTHROPIC_AUTH_TOKEN"] || undefined;
  const sources = [
    ...token === undefined ? [] : [sourceOf(place, "ANTHROPIC_AUTH_TOKEN")],
    ...key === undefined ? [] : [sourceOf(place, "ANTHROPIC_API_KEY")],
  ];
  let isLogin = false;
  let fix = `correct ${sources.join(" or ")}`;
  if (
    apiKeyHelper !== undefined && (key === undefined || token === undefined)
  ) {
    const where = `apiKeyHelper in ${
      place.locate("apiKeyHelper") ?? "the settings"
    }`;
    const said = await runHelper(place, apiKeyHelper);
    if ("problem" in said) {
      const text = `${where} failed: ${said.problem}`;
      const permission = permissionFix(said.problem);
      const run = "run its command by hand: it has to print the key";
      return modelFinding(
        permission ? "unproven" : "error",
        text,
        permission ?? run,
      );
    }
    key ??= said.key;
    token ??= said.key;
    sources.push(where);
    fix = `correct ${sources.join(" or ")}`;
  } else if (key === undefined && token === undefined) {
    const login = await loginOf(place);
    token = login?.token;
    if (login !== undefined) {
      isLogin = true;
      sources.push(login.source);
      fix = login.fix;
    } else if (!isLoggedOut(account) && !custom.length) {
      const text =
        "The login was not tried: it is kept where only the CLI reads it, or has to be renewed";
      return modelFinding("unproven", text, TRY);
    }
  }
  const headers = {
    ...Object.fromEntries(custom),
    ...key !== undefined && { "x-api-key": key },
    ...token !== undefined && { authorization: `Bearer ${token}` },
    ...isLogin && { "anthropic-beta": "oauth-2025-04-20" },
  };
  const secrets = [key, token, ...custom.map(([, value]) => value)]
    .filter((one) => one !== undefined && one.length > 3) as string[];
  return { headers, secrets, source: sources.join(" and "), fix };
}

/** Whether the CLI has nothing to pay with; a login from its own files names no source at all. */
export function isLoggedOut(
  { apiKeySource = "none", apiProvider = "firstParty", tokenSource }:
    AccountInfo,
): boolean {
  return apiProvider === "firstParty" && apiKeySource === "none" &&
    tokenSource === "none";
}

/** The token of a login; undefined where the CLI alone can get at it. */
async function loginOf(
  { clock = systemClock, configFolder, env, host }: ModelPlace,
): Promise<
  | { readonly token: string; readonly source: string; readonly fix: string }
  | undefined
> {
  const own = env["CLAUDE_CODE_OAUTH_TOKEN"];
  if (own) {
    const fix = "make a new one: claude setup-token";
    return { token: own, source: "CLAUDE_CODE_OAUTH_TOKEN", fix };
  }
  if (configFolder === undefined) return undefined;
  const path = resolvePath(configFolder, ".credentials.json", host.platform);
  try {
    const { claudeAiOauth: login } = JSON.parse(
      await host.files.readText(path),
    );
    const { accessToken, expiresAt } = login;
    // The CLI renews one that is over.
    if (!(expiresAt > clock.now())) return undefined;
    return typeof accessToken === "string"
      ? { token: accessToken, source: "the login", fix: LOG_IN }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The key that the helper prints, which the CLI runs by a shell as well. */
async function runHelper(
  { clock = systemClock, cwd, env, host, signal }: ModelPlace,
  command: string,
): Promise<
  | { readonly key: string }
  | { readonly problem: string }
> {
  const windows = isWindows(host.platform);
  const stop = new AbortController();
  try {
    const child = await host.spawn({
      command: windows ? env["ComSpec"] ?? "cmd.exe" : "/bin/sh",
      args: windows ? ["/d", "/s", "/c", `"${command}"`] : ["-c", command],
      isVerbatim: windows,
      cwd,
      env,
    });
    const kill = () => void child.kill("SIGKILL");
    let isLate = false;
    clock.sleep(HELPER_MS, stop.signal).then(() => {
      isLate = true;
      kill();
    }, () => {});
    signal?.addEventListener("abort", kill, { signal: stop.signal });
    await child.stdin.end();
    const [text, , { code }] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).body?.cancel(),
      child.exited,
    ]);
    signal?.throwIfAborted();
    if (isLate) return { problem: `nothing in ${HELPER_MS} ms` };
    if (code !== 0) return { problem: `exit code ${code}` };
    const key = text.trim();
    return key === "" || /\s/.test(key)
      ? {
        problem: key === "" ? "it prints nothing" : "it prints more than a key",
      }
      : { key };
  } catch (error) {
    if (signal?.aborted) throw error;
    return { problem: textOfError(error) };
  } finally {
    stop.abort();
  }
}

export function modelFinding(
  status: FindingStatus,
  text: string,
  fix?: string,
): Finding {
  return finding("model", status, text, { fix });
}
