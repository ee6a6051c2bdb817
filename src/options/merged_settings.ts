import { asList, asObject, isObject } from "../errors/text.ts";
import type { JsonObject, JsonValue } from "../types/json.ts";

/** Settings with a sandbox merged into theirs, so that no restriction of either is lost. */
export function withSandbox(
  given: JsonObject | undefined,
  sandbox: JsonObject,
): JsonObject {
  const both = enforced(
    merged(asObject(given?.sandbox), sandbox, {
      joined: RESTRICTIONS,
      whole: UNITS,
    }),
    sandbox,
  );
  // A sandbox that was asked for and cannot be had must not be left out in silence.
  return {
    ...given,
    sandbox: both.enabled === true && both.failIfUnavailable === undefined
      ? { ...both, failIfUnavailable: true }
      : both,
  };
}

/** The CLI lets a denied credential win over a masked one. */
const RESTRICTIONS =
  /^(?:filesystem\.deny(?:Read|Write)|network\.deniedDomains|credentials\.(?:files|envVars))$/;

/** Half of the one and half of the other would be neither. */
const UNITS = /^(?:ripgrep|network\.tlsTerminate)$/;

/** Without the settings that would switch off what the option restricts. */
function enforced(both: JsonObject, option: JsonObject): JsonObject {
  const { filesystem: files, network, credentials } = option;
  const hosts = asObject(network);
  const hasFiles = files !== undefined ||
    asList(asObject(credentials).files).some((one) =>
      asObject(one).mode === "deny"
    );
  const hasHosts = hosts.allowedDomains !== undefined ||
    asList(hosts.deniedDomains).length > 0 || hosts.strictAllowlist === true;
  return {
    ...both,
    ...hasFiles && isObject(both.filesystem) &&
      both.filesystem.disabled === true &&
      { filesystem: kept(both.filesystem, asObject(files), ["disabled"]) },
    // The CLI does not check traffic through such a proxy against domains.
    ...hasHosts && isObject(both.network) &&
      {
        network: kept(both.network, hosts, ["httpProxyPort", "socksProxyPort"]),
      },
  };
}

/** Without the keys that the option does not set itself. */
function kept(
  both: JsonObject,
  option: JsonObject,
  keys: readonly string[],
): JsonObject {
  const isKept = (key: string) =>
    !keys.includes(key) || option[key] !== undefined;
  return Object.fromEntries(
    Object.entries(both).filter(([key]) => isKept(key)),
  );
}

/** The second over the first, key by key. */
export function merged(
  first: JsonObject,
  second: JsonObject,
  rules: {
    /** Paths of lists that are joined. */
    readonly joined: RegExp;
    /** Paths of objects that are replaced whole. */
    readonly whole?: RegExp;
  },
  above = "",
): JsonObject {
  const all: Record<string, JsonValue | undefined> = { ...first };
  for (const [key, value] of Object.entries(second)) {
    const before = first[key];
    const path = `${above}${key}`;
    if (value === undefined) continue;
    if (isObject(before) && isObject(value) && !rules.whole?.test(path)) {
      all[key] = merged(before, value, rules, `${path}.`);
    } else if (
      rules.joined.test(path) && Array.isArray(before) && Array.isArray(value)
    ) {
      all[key] = [...new Set([...before, ...value])];
    } else all[key] = value;
  }
  return all;
}
