import { isObject } from "../errors/text.ts";
import type { SecretSources } from "../errors/secret_sources.ts";
import type { Launch } from "../ports/transport.ts";
import { isBareVariable, optionsByHooks } from "./required_hooks.ts";
import { deferredCallVariables } from "./deferred_calls.ts";
import { mentionVariables } from "./file_mentions.ts";
import { parseSettings } from "./settings_layer.ts";
import type { Settings } from "./settings.ts";
import { ENTRYPOINT_VARIABLE } from "./launch.ts";
import { valueAt } from "./fields.ts";
import { OPTION_ROWS } from "./table.ts";
import { traceVariables } from "../observe/trace_context.ts";
import type { TraceContext } from "../types/observer.ts";

/** Variables of this program that would change what the CLI is or says. Source: protocol reference, section Environment. */
export const NEVER_INHERITED: RegExp = /^(?:CLAUDECODE|DEBUG|NODE_OPTIONS)$/;

/**
 * Says that a program talks with the CLI: it knows a few names, and takes a session of any other for one of a person,
 * which it lists among those, and to which it offers more. Source: tried on CLI 2.1.328.
 */
const ENTRYPOINT = "sdk-cli";

const MODEL_VARIABLE = "ANTHROPIC_BASE_URL";

/** Variables that any program needs, of proxies and certificates, and those that lead the CLI to its model and its telemetry. */
const ALLOWED =
  /^(?:HOME|LANG|LOGNAME|PATH|SHELL|TERM|TMPDIR|TZ|USER|(?:ALL|HTTPS?|NO)_PROXY|(?:all|https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:DIR|FILE)|CLAUDE_CODE_(?:CERT_STORE|CLIENT_CERT|CLIENT_KEY(?:_PASSPHRASE)?|ENABLE_TELEMETRY|ENHANCED_TELEMETRY_BETA|OAUTH_TOKEN|PROJECT_DIR_NAME)|TRACEPARENT|TRACESTATE|CLAUDE_CONFIG_DIR|CLOUD_ML_REGION)$/;

/** The same by beginning: locale, model, cloud credentials, telemetry. */
const ALLOWED_BEGINNING =
  /^(?:LC|ANTHROPIC|CLAUDE_CODE_(?:USE|SKIP)|AWS|AZURE|CLOUDSDK|GCLOUD|GOOGLE|OTEL|VERTEX_REGION)_/;

/** Variables that programs on Windows need, in capitals. */
const ALLOWED_ON_WINDOWS =
  /^(?:ALLUSERSPROFILE|APPDATA|COMMONPROGRAMFILES|COMSPEC|HOMEDRIVE|HOMEPATH|LOCALAPPDATA|NUMBER_OF_PROCESSORS|OS|PATHEXT|PROCESSOR_ARCHITECTURE|PROGRAMDATA|PROGRAMFILES|PROGRAMFILES\(X86\)|PROGRAMW6432|PUBLIC|SYSTEMDRIVE|SYSTEMROOT|TEMP|TMP|USERDOMAIN|USERNAME|USERPROFILE|WINDIR|CLAUDE_CODE_GIT_BASH_PATH)$/;

const VARIABLES = OPTION_ROWS.flatMap(([key, { variable }]) =>
  variable ? [[key, variable] as const] : []
);

/** @param trace Span that the CLI continues */
export function toEnvironment(
  { options }: Settings,
  parent: Readonly<Record<string, string>>,
  platform: string,
  trace?: TraceContext,
): Record<string, string> {
  const { env = {}, envPolicy = "inherit" } = options;
  const isWindows = platform === "win32";
  const isGuarded = optionsByHooks(options).length > 0;
  // On Windows `Path` and `PATH` are the same one.
  const fold = (name: string) => isWindows ? name.toUpperCase() : name;
  const all = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string) =>
    all.set(fold(name), [name, value]);
  for (const [name, value] of Object.entries(parent)) {
    // It would switch off what the options set.
    if (isGuarded && isBareVariable(name)) continue;
    if (isInherited(fold(name), envPolicy, isWindows)) set(name, value);
  }
  // Before the user's own, so that they can say something else.
  const span = traceVariables(trace, env);
  for (const [name, value] of Object.entries(span)) {
    if (value === undefined) all.delete(name);
    else set(name, value);
  }
  if (!all.has(ENTRYPOINT_VARIABLE)) set(ENTRYPOINT_VARIABLE, ENTRYPOINT);
  set("CLAUDE_CODE_SDK_READS_SESSION_STATE", "1");
  for (const [key, [name, write]] of VARIABLES) {
    const value = write(valueAt(options, key) as never);
    if (value !== undefined) set(name, value);
  }
  // Before the user's own, which may let mentions read and deferred calls run.
  const guards = {
    ...mentionVariables(options),
    ...deferredCallVariables(options),
  };
  for (const [name, value] of Object.entries(guards)) set(name, value);
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) all.delete(fold(name));
    else set(name, value);
  }
  return Object.fromEntries(all.values());
}

/** Address of the model as given to the CLI, without user, path and query, which may be secret. */
export function modelAddress(
  { options }: Settings,
  env: Readonly<Record<string, string>>,
): string | undefined {
  const settings = parseSettings(options.settings);
  // The CLI prefers its settings.
  const set = isObject(settings) && isObject(settings.env)
    ? settings.env[MODEL_VARIABLE]
    : undefined;
  const address = typeof set === "string" ? set : env[MODEL_VARIABLE];
  if (!address) return undefined;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url?.host ? `${url.protocol}//${url.host}` : "no URL";
}

/** All that a conversation was given and that may hold secrets. */
export function secretsOf(
  { options }: Settings,
  launch: Launch,
): SecretSources {
  const { cliPath, env, mcpServers, settings, managedSettings } = options;
  const { sandbox, agents } = options;
  const shared = { mcpServers, settings, managedSettings, sandbox, agents };
  return {
    env: launch.env,
    args: [...Array.isArray(cliPath) ? cliPath : [], ...launch.args],
    documents: [{ env, ...shared }],
  };
}

function isInherited(
  known: string,
  policy: "inherit" | "allowlist" | "replace",
  isWindows: boolean,
): boolean {
  if (policy === "replace" || NEVER_INHERITED.test(known)) return false;
  if (policy === "inherit") return true;
  return ALLOWED.test(known) || ALLOWED_BEGINNING.test(known) ||
    isWindows && ALLOWED_ON_WINDOWS.test(known);
}
