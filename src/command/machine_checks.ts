import { systemClock } from "../async/system_clock.ts";
import { textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";
import { leftOver } from "../process/family.ts";
import { resolvePath } from "../process/paths.ts";
import { pathDirectories, variable } from "../process/variables.ts";
import { missingPermissions } from "../runtime/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import type { Finding } from "./finding.ts";

/** The oldest of each runtime that this package is tested with. */
const OLDEST = { node: [20, 19], deno: [2, 0], bun: [1, 2] } as const;

const MEBIBYTE = 2 ** 20;
const SCARCE_BYTES = 500 * MEBIBYTE;
const FULL_BYTES = 50 * MEBIBYTE;

/** What takes orphans in; anything else that runs first may have started them itself, as a program in a container does. */
const INIT =
  /^(?:systemd|init|tini|docker-init|dumb-init|catatonit|s6-svscan|runit|openrc-init|busybox)$/;

/** How long an address may take to answer, in milliseconds. */
const ANSWER_MS = 1_500;
/** From SIGTERM to SIGKILL for what was left over, in milliseconds. */
const GRACE_MS = 2_000;
const LOOK_MS = 20;

/** Which runtime this is, and what it may do. */
export function checkRuntime(host: Host): readonly Finding[] {
  const { arch, name, platform, version } = host;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [leastMajor, leastMinor] = OLDEST[name];
  const isOld = major < leastMajor ||
    (major === leastMajor && minor < leastMinor);
  const text = `${name} ${version} on ${platform} ${arch}`;
  const data: JsonObject = { name, version, platform, arch };
  const runtime: Finding = isOld
    ? {
      check: "runtime",
      status: "error",
      text: `${text} is too old`,
      fix: `use ${name} ${leastMajor}.${leastMinor} or later`,
      data,
    }
    : { check: "runtime", status: "ok", text, data };
  const missing = missingPermissions().map((
    { flag, isPartial, purpose },
  ): Finding => ({
    check: "permission",
    status: isPartial ? "note" : "warning",
    text: isPartial
      ? `${flag} was given for some only; needed for ${purpose}`
      : `${flag} was not given; needed for ${purpose}`,
    fix: `run Deno with ${flag}, or with -A`,
    data: { flag, isPartial },
  }));
  return [runtime, ...missing];
}

/** Proxies, certificates, and whether the model's address answers. */
export async function checkNetwork(host: Host): Promise<readonly Finding[]> {
  const env = host.env();
  const read = (name: string) =>
    variable(env, name, host.platform) ??
      variable(env, name.toLowerCase(), host.platform);
  const proxy = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]
    .find((name) => read(name) !== undefined);
  const model = read("ANTHROPIC_BASE_URL") ?? "https://api.anthropic.com";
  return [
    ...await checkCertificates(host, read),
    proxy === undefined || isLocal(model)
      ? await checkAddress("network", "Model", model)
      : await checkAddress("proxy", `Proxy in ${proxy}`, read(proxy) ?? ""),
  ];
}

function isLocal(address: string): boolean {
  return /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/.test(
    address,
  );
}

async function checkCertificates(
  { files }: Host,
  read: (name: string) => string | undefined,
): Promise<readonly Finding[]> {
  const found: Finding[] = [];
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = read(name);
    if (path === undefined) continue;
    const status = await files.status(path).catch(() => undefined);
    found.push(
      status?.kind === "file"
        ? {
          check: "certificates",
          status: "ok",
          text: `${name} names "${path}"`,
        }
        : {
          check: "certificates",
          status: "error",
          text: `${name} names no file: "${path}"`,
          fix: `let ${name} name the file with your own authority, or unset it`,
        },
    );
  }
  if (read("NODE_TLS_REJECT_UNAUTHORIZED") === "0") {
    found.push({
      check: "certificates",
      status: "warning",
      text: "Certificates are not checked: NODE_TLS_REJECT_UNAUTHORIZED is 0",
      fix: "unset it, and name your own authority in NODE_EXTRA_CA_CERTS",
    });
  }
  return found;
}

/** Whether something answers; what it says does not matter. */
async function checkAddress(
  check: string,
  what: string,
  address: string,
): Promise<Finding> {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return {
      check,
      status: "error",
      // It may hold a password.
      text: `${what}: no address`,
      fix: "give it as http://host:port",
    };
  }
  const { origin } = url;
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(origin, { method: "HEAD", signal });
    await response.body?.cancel();
    return { check, status: "ok", text: `${what} answers at ${origin}` };
  } catch (error) {
    const isLate = signal.aborted;
    const cause = error instanceof Error && error.cause !== undefined
      ? error.cause
      : error;
    const reason = isLate ? `nothing in ${ANSWER_MS} ms` : textOfError(cause);
    return {
      check,
      status: isLate ? "warning" : "error",
      text: `${what} does not answer at ${origin}: ${reason}`,
      fix:
        "look at HTTPS_PROXY, ANTHROPIC_BASE_URL and, behind an authority of your own, NODE_EXTRA_CA_CERTS",
    };
  }
}

/** Room on the disk, and whether the CLI can write its sessions. */
export async function checkDisk(
  host: Host,
  cwd: string,
): Promise<readonly Finding[]> {
  const env = host.env();
  const home = host.home();
  const config = variable(env, "CLAUDE_CONFIG_DIR", host.platform) ??
    (home && resolvePath(home, ".claude", host.platform));
  const places = new Map([["working directory", cwd], ["home", home ?? ""]]);
  const found: Finding[] = [];
  for (const [name, path] of places) {
    if (path !== "") found.push(...await checkRoom(host, name, path));
  }
  if (config !== undefined) found.push(...await checkWritable(host, config));
  return found;
}

async function checkRoom(
  { files }: Host,
  name: string,
  path: string,
): Promise<readonly Finding[]> {
  const free = await files.freeBytes(path);
  if (free === undefined) return [];
  const shown = `${Math.floor(free / MEBIBYTE)} MiB are free in the ${name}`;
  const data = { path, freeBytes: free };
  if (free >= SCARCE_BYTES) {
    return [{ check: "disk", status: "ok", text: shown, data }];
  }
  return [{
    check: "disk",
    status: free < FULL_BYTES ? "error" : "warning",
    text: `Only ${shown}`,
    fix: "make room: sessions and what tools print are written there",
    data,
  }];
}

async function checkWritable(
  { files, pid, platform }: Host,
  folder: string,
): Promise<readonly Finding[]> {
  if (await files.status(folder).catch(() => undefined) === undefined) {
    return [];
  }
  const path = resolvePath(folder, `.sluice-doctor-${pid}`, platform);
  try {
    const file = await files.open(path, "new");
    await file.close();
    await files.remove(path);
    return [];
  } catch (error) {
    return [{
      check: "disk",
      status: "error",
      text: `The CLI cannot write its sessions: ${textOfError(error)}`,
      fix:
        `make "${folder}" writable, or name another folder in CLAUDE_CONFIG_DIR`,
    }];
  }
}

/** Processes that programs of this package left behind; ends them where that is wanted. */
export async function checkLeftOver(
  host: Host,
  mayEnd: boolean,
): Promise<readonly Finding[]> {
  const left = leftOver(host);
  if (left.length === 0) return [];
  const pids = left.map(({ pid }) => pid);
  const list = pids.join(", ");
  const data = { pids };
  const first = await host.files.readText("/proc/1/comm").catch(() => "");
  if (!INIT.test(first.trim())) {
    return [{
      check: "processes",
      status: "note",
      text:
        `Left over, unless the first process of this machine started them: ${list}`,
      data,
    }];
  }
  if (!mayEnd) {
    return [{
      check: "processes",
      status: "warning",
      text: `Left over from programs that are gone: ${list}`,
      fix: "sluice doctor --fix ends them",
      data,
    }];
  }
  await endAll(host, left);
  const rest = stillThere(host, left);
  return [
    rest.length === 0
      ? {
        check: "processes",
        status: "ok",
        text: `Ended what was left over from programs that are gone: ${list}`,
        data,
      }
      : {
        check: "processes",
        status: "warning",
        text: `Still there after SIGKILL: ${rest.map(({ pid }) => pid)}`,
        data,
      },
  ];
}

async function endAll(
  host: Host,
  all: readonly ProcessEntry[],
): Promise<void> {
  for (const { pid } of stillThere(host, all)) host.killPid(pid, "SIGTERM");
  const end = performance.now() + GRACE_MS;
  while (stillThere(host, all).length > 0 && performance.now() < end) {
    await systemClock.sleep(LOOK_MS);
  }
  for (const { pid } of stillThere(host, all)) host.killPid(pid, "SIGKILL");
  await systemClock.sleep(LOOK_MS);
}

/** Those that run and are the same: an id may be somebody else's by now. */
function stillThere(
  host: Host,
  all: readonly ProcessEntry[],
): readonly ProcessEntry[] {
  const now = host.processes(all.map(({ pid }) => pid));
  return all.filter(({ began, pid }) =>
    now.some((one) => one.pid === pid && one.began === began)
  );
}

/** What the CLI's sandbox needs on this system. */
export async function checkSandbox(
  host: Host,
  isEnabled: boolean,
): Promise<readonly Finding[]> {
  const { files, platform } = host;
  if (platform === "win32") {
    return isEnabled
      ? [{
        check: "sandbox",
        status: "error",
        text: "The sandbox is switched on, and Windows has none",
        fix: "run in WSL, or set sandbox.enabled to false",
      }]
      : [];
  }
  if (platform !== "linux") {
    return [{
      check: "sandbox",
      status: "ok",
      text: `The system brings a sandbox; it is ${isEnabled ? "on" : "off"}`,
    }];
  }
  const place = { directory: host.cwd(), env: host.env(), platform };
  const missing: string[] = [];
  for (const program of ["bwrap", "socat"]) {
    const paths = pathDirectories(place)
      .map((folder) => resolvePath(folder, program, platform));
    const there = await Promise.all(
      paths.map((path) => files.isExecutable(path).catch(() => false)),
    );
    if (!there.includes(true)) missing.push(program);
  }
  if (missing.length === 0) {
    return [{
      check: "sandbox",
      status: "ok",
      text: `What a sandbox needs is there; it is ${isEnabled ? "on" : "off"}`,
    }];
  }
  return [{
    check: "sandbox",
    status: isEnabled ? "error" : "note",
    text: isEnabled
      ? `The sandbox is switched on, and lacks ${missing.join(", ")}`
      : `A sandbox would need ${missing.join(", ")}; it is off`,
    ...isEnabled && {
      fix: "install bubblewrap and socat, or set sandbox.enabled to false",
    },
  }];
}
