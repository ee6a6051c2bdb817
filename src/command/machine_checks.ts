import { systemClock } from "../async/system_clock.ts";
import { printable, textOfError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import type { ProcessEntry } from "../ports/process.ts";
import { leftOver } from "../process/left_over.ts";
import { pathDirectories, resolvePath, variable } from "../process/paths.ts";
import { missingPermissions } from "../runtime/permissions.ts";
import type { JsonObject } from "../types/json.ts";
import type { Colors } from "./command_line.ts";

/** What doctor found: `note` tells, `warning` may matter, `error` keeps agents from running. */
export interface Finding {
  /** What was looked at: `cli`, `login`, ... */
  readonly check: string;
  /** How it is. */
  readonly status: "ok" | "note" | "warning" | "error";
  /** The fact, in a line. */
  readonly text: string;
  /** What helps. */
  readonly fix?: string | undefined;
  /** The same for programs. */
  readonly data?: JsonObject | undefined;
}

/** What was found, what helps, and the same for programs. */
export function finding(
  check: string,
  status: Finding["status"],
  text: string,
  more: Pick<Finding, "fix" | "data"> = {},
): Finding {
  return { check, status, text, ...more };
}

/** A finding as lines for the terminal. */
export function showFinding(
  { fix, status, text }: Finding,
  colors: Colors,
): string {
  const line = `  ${SIGNS[status](colors)} ${printable(text)}`;
  return fix === undefined
    ? line
    : `${line}\n    ${colors.dim("fix:")} ${printable(fix)}`;
}

const SIGNS: Readonly<Record<Finding["status"], (colors: Colors) => string>> = {
  ok: ({ green }) => green("✔"),
  note: ({ dim }) => dim("·"),
  warning: ({ yellow }) => yellow("!"),
  error: ({ red }) => red("✖"),
};

/** The oldest of each runtime that this package is tested with. */
const OLDEST = { node: [20, 19], deno: [2, 0], bun: [1, 2] } as const;

const MEBIBYTE = 2 ** 20;
const SCARCE_BYTES = 500 * MEBIBYTE;
const FULL_BYTES = 50 * MEBIBYTE;

/** What takes orphans in; anything else that runs first may have started them itself, as a program in a container does. */
const INIT =
  /^(?:systemd|init|tini|docker-init|dumb-init|catatonit|s6-svscan|runit|openrc-init|busybox)$/;

/** An address of this machine, to which no proxy leads. */
const LOCAL = /^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?:[:/]|$)/;
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
  const fix = `use ${name} ${leastMajor}.${leastMinor} or later`;
  const runtime = isOld
    ? finding("runtime", "error", `${text} is too old`, { fix, data })
    : finding("runtime", "ok", text, { data });
  const missing = missingPermissions().map(({ flag, isPartial, purpose }) => {
    const given = isPartial ? "was given for some only" : "was not given";
    const text = `${flag} ${given}; needed for ${purpose}`;
    return finding("permission", isPartial ? "note" : "warning", text, {
      fix: `run Deno with ${flag}, or with -A`,
      data: { flag, isPartial },
    });
  });
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
    proxy === undefined || LOCAL.test(model)
      ? await checkAddress("network", "Model", model)
      : await checkAddress("proxy", `Proxy in ${proxy}`, read(proxy) ?? ""),
  ];
}

async function checkCertificates(
  { files }: Host,
  read: (name: string) => string | undefined,
): Promise<readonly Finding[]> {
  const check = "certificates";
  const found: Finding[] = [];
  for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
    const path = read(name);
    if (path === undefined) continue;
    const status = await files.status(path).catch(() => undefined);
    const fix =
      `let ${name} name the file with your own authority, or unset it`;
    found.push(
      status?.kind === "file"
        ? finding(check, "ok", `${name} names "${path}"`)
        : finding(check, "error", `${name} names no file: "${path}"`, { fix }),
    );
  }
  if (read("NODE_TLS_REJECT_UNAUTHORIZED") === "0") {
    const text =
      "Certificates are not checked: NODE_TLS_REJECT_UNAUTHORIZED is 0";
    const fix = "unset it, and name your own authority in NODE_EXTRA_CA_CERTS";
    found.push(finding(check, "warning", text, { fix }));
  }
  return found;
}

/** Whether something answers; what it says does not matter. */
async function checkAddress(
  check: string,
  what: string,
  address: string,
): Promise<Finding> {
  if (!URL.canParse(address)) {
    const fix = "give it as http://host:port";
    // It may hold a password.
    return finding(check, "error", `${what}: no address`, { fix });
  }
  const { origin } = new URL(address);
  const signal = AbortSignal.timeout(ANSWER_MS);
  try {
    const response = await fetch(origin, { method: "HEAD", signal });
    await response.body?.cancel();
    return finding(check, "ok", `${what} answers at ${origin}`);
  } catch (error) {
    const isLate = signal.aborted;
    const cause = error instanceof Error && error.cause !== undefined
      ? error.cause
      : error;
    const reason = isLate ? `nothing in ${ANSWER_MS} ms` : textOfError(cause);
    const text = `${what} does not answer at ${origin}: ${reason}`;
    const fix =
      "look at HTTPS_PROXY, ANTHROPIC_BASE_URL and, behind an authority of your own, NODE_EXTRA_CA_CERTS";
    return finding(check, isLate ? "warning" : "error", text, { fix });
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
  const found = [
    await checkRoom(host, "working directory", cwd),
    await checkRoom(host, "home", home),
    await checkWritable(host, config),
  ];
  return found.filter((one) => one !== undefined);
}

async function checkRoom(
  { files }: Host,
  name: string,
  path: string | undefined,
): Promise<Finding | undefined> {
  const free = path ? await files.freeBytes(path) : undefined;
  if (free === undefined) return undefined;
  const shown = `${Math.floor(free / MEBIBYTE)} MiB are free in the ${name}`;
  const data = { path, freeBytes: free };
  if (free >= SCARCE_BYTES) return finding("disk", "ok", shown, { data });
  const status = free < FULL_BYTES ? "error" : "warning";
  const fix = "make room: sessions and what tools print are written there";
  return finding("disk", status, `Only ${shown}`, { fix, data });
}

async function checkWritable(
  { files, pid, platform }: Host,
  folder: string | undefined,
): Promise<Finding | undefined> {
  if (folder === undefined) return undefined;
  const status = await files.status(folder).catch(() => undefined);
  if (status === undefined) return undefined;
  const path = resolvePath(folder, `.sluice-doctor-${pid}`, platform);
  try {
    const file = await files.open(path, "new");
    await file.close();
    await files.remove(path);
    return undefined;
  } catch (error) {
    const text = `The CLI cannot write its sessions: ${textOfError(error)}`;
    const fix =
      `make "${folder}" writable, or name another folder in CLAUDE_CONFIG_DIR`;
    return finding("disk", "error", text, { fix });
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
  const found = (status: Finding["status"], text: string, fix?: string) => [
    finding("processes", status, text, { fix, data: { pids } }),
  ];
  const first = await host.files.readText("/proc/1/comm").catch(() => "");
  if (!INIT.test(first.trim())) {
    return found(
      "note",
      `Left over, unless the first process of this machine started them: ${list}`,
    );
  }
  const whose = `over from programs that are gone: ${list}`;
  if (!mayEnd) {
    return found("warning", `Left ${whose}`, "sluice doctor --fix ends them");
  }
  const rest = await ended(host, left);
  return rest.length === 0
    ? found("ok", `Ended what was left ${whose}`)
    : found(
      "warning",
      `Still there after SIGKILL: ${rest.map(({ pid }) => pid)}`,
    );
}

/** Ends them, and gives those that are there still. */
async function ended(
  host: Host,
  all: readonly ProcessEntry[],
): Promise<readonly ProcessEntry[]> {
  /** Those that run and are the same: an id may be somebody else's by now. */
  const rest = () => {
    const now = host.processes(all.map(({ pid }) => pid));
    return all.filter(({ began, pid }) =>
      now.some((one) => one.pid === pid && one.began === began)
    );
  };
  for (const { pid } of rest()) host.killPid(pid, "SIGTERM");
  const end = performance.now() + GRACE_MS;
  while (rest().length > 0 && performance.now() < end) {
    await systemClock.sleep(LOOK_MS);
  }
  for (const { pid } of rest()) host.killPid(pid, "SIGKILL");
  await systemClock.sleep(LOOK_MS);
  return rest();
}

/** What the CLI's sandbox needs on this system. */
export async function checkSandbox(
  host: Host,
  isEnabled: boolean,
): Promise<readonly Finding[]> {
  const { files, platform } = host;
  const found = (status: Finding["status"], text: string, fix?: string) => [
    finding("sandbox", status, text, { fix }),
  ];
  const state = isEnabled ? "on" : "off";
  if (platform === "win32") {
    return isEnabled
      ? found(
        "error",
        "The sandbox is switched on, and Windows has none",
        "run in WSL, or set sandbox.enabled to false",
      )
      : [];
  }
  if (platform !== "linux") {
    return found("ok", `The system brings a sandbox; it is ${state}`);
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
    return found("ok", `What a sandbox needs is there; it is ${state}`);
  }
  const list = missing.join(", ");
  if (!isEnabled) {
    return found("note", `A sandbox would need ${list}; it is off`);
  }
  return found(
    "error",
    `The sandbox is switched on, and lacks ${list}`,
    "install bubblewrap and socat, or set sandbox.enabled to false",
  );
}
