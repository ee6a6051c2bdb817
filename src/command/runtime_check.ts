import type { Host } from "../ports/host.ts";
import { missingPermissions } from "../runtime/permissions.ts";
import { type Finding, finding, permissionFix } from "./finding.ts";
import { OLDEST } from "./oldest_runtimes.ts";

/** The runtime's version, and missing permissions of Deno. */
export function checkRuntime(host: Host): readonly Finding[] {
  const { arch, name, platform, version } = host;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = OLDEST[name];
  const isOld = major < leastMajor ||
    (major === leastMajor && minor < leastMinor);
  const text = `${name} ${version} on ${platform} ${arch}`;
  const data = { name, version, platform, arch };
  const fix = `use ${name} ${leastMajor}.${leastMinor} or later`;
  const runtime = isOld
    ? finding("runtime", "error", `${text} is too old`, fix, data)
    : finding("runtime", "ok", text, undefined, data);
  const missing = missingPermissions().map(({ flag, isPartial, purpose }) => {
    const given = isPartial ? "was given for some only" : "was not given";
    const status = isPartial ? "note" : "warning";
    const text = `${flag} ${given}; needed for ${purpose}`;
    const data = { flag, isPartial };
    return finding("permission", status, text, permissionFix(flag), data);
  });
  return [runtime, ...missing];
}
