import { Deferred } from "../async/deferred.ts";
import { asError } from "../errors/text.ts";
import type { Host } from "../ports/host.ts";
import { fromHere } from "../process/paths.ts";
import { directoryNow, host as hostOf } from "../runtime/host.ts";
import { configFolder } from "../transcripts/places.ts";
import { type Claimed, claimSession, refuseStartSettings } from "./claim.ts";
import { withOwnEnvironment } from "./query.ts";
import type { RunningQuery } from "./running.ts";
import { START_MS, StartLimit } from "./start_limit.ts";
import { started, warmQuery } from "./warm.ts";
import type { Options } from "./generated/options.ts";
import type {
  ClaimOptions,
  SpareProcess,
  WarmQuery,
} from "./generated/types.ts";

/**
 * Starts a CLI process without a working directory, which is set when the process is claimed. Needs a CLI that
 * supports `--await-claim`.
 *
 * @throws {Error} If the CLI does not start in time, or the options name a session
 *
 * @example Claim a process that was started in advance
 * ```ts ignore
 * import { prewarm } from "@sluice/agent/compat";
 *
 * const spare = await prewarm();
 * const run = spare.claim({ prompt: "Say hello", options: { cwd: "/home/ada" } });
 * for await (const message of run) console.log(message.type);
 * ```
 */
export async function prewarm(params: {
  /** Options that hold for every session. */
  options?: Options;
  /** Timeout of the start, in milliseconds; 60 000. */
  initializeTimeoutMs?: number;
} = {}): Promise<SpareProcess> {
  const { initializeTimeoutMs = START_MS } = params;
  const options = withOwnEnvironment(params.options ?? {});
  if (options.resume || options.continue || options.forkSession) {
    throw new Error(
      "prewarm(): resume/continue/forkSession describe a session; a spare has none: pass them to query() instead",
    );
  }
  const parking = await parkingPlace(options);
  const extraArgs = { ...options.extraArgs, "await-claim": null };
  const parked = { ...options, cwd: parking.cwd, extraArgs };
  try {
    const query = await started(parked, new StartLimit(initializeTimeoutMs));
    return spareProcess(query, parking.remove, await hostOf());
  } catch (error) {
    await parking.remove();
    throw error;
  }
}

/** The directory of a process that waits for a claim. */
async function parkingPlace(
  { cwd, env }: Options,
): Promise<{ readonly cwd: string; readonly remove: () => Promise<void> }> {
  if (cwd !== undefined) return { cwd, remove: () => Promise.resolve() };
  const host = await hostOf();
  const spares = `${configFolder(host, env)}/spares`;
  await host.files.makeDirectory(spares, 0o700);
  const own = `${spares}/spare-${crypto.randomUUID().slice(0, 8)}`;
  await host.files.makeDirectory(own, 0o700);
  return { cwd: own, remove: () => host.files.remove(own).catch(() => {}) };
}

type Prompt = Parameters<WarmQuery["query"]>[0];

function spareProcess(
  query: RunningQuery,
  remove: () => Promise<void>,
  host: Host,
): SpareProcess {
  const { session } = query.parts;
  const warm = warmQuery(query);
  const claim = new Deferred<Claimed>().quiet();
  let isClaimed = false;
  let isClosed = false;
  /** Refuses claims from now on. */
  const end = (reason: string) => {
    isClosed = true;
    if (!isClaimed) claim.reject(new Error(`${reason} before it was claimed`));
  };
  const exited = session.over.then(remove);
  exited.then(() => end("spare_exited: the spare process exited"));
  const close = () => {
    if (isClosed) return;
    end("spare_closed: the spare was closed");
    void query.return();
  };
  /** Sends a prompt that settings of the claim held back. */
  const sendHeld = (prompt: Prompt) => {
    try {
      warm.query(prompt);
    } catch (error) {
      session.refuse(asError(error));
    }
  };
  return {
    claimed: claim.promise,
    exited,
    claim({ prompt, options }) {
      if (isClaimed) {
        throw new Error("SpareProcess.claim() can only be called once");
      }
      if (isClosed) {
        throw new Error(
          "SpareProcess.claim(): the spare was closed or has exited; start the session with query()",
        );
      }
      refuseStartSettings(options);
      isClaimed = true;
      const cwd = claimedDirectory(options, host);
      const isHeld = options.settings !== undefined;
      let isRunning = false;
      const claimed = claimSession(query, { ...options, cwd }, () => {
        isRunning = true;
        if (isHeld) sendHeld(prompt);
      });
      claimed.then((one) => claim.resolve(one), (error) => {
        claim.reject(error);
        if (isRunning) return;
        if (isHeld) void session.close();
        else session.input.end();
      }).then(remove);
      if (isHeld) session.input.hold(claimed);
      return isHeld ? query : warm.query(prompt);
    },
    close,
    async [Symbol.asyncDispose]() {
      close();
      await exited;
    },
  };
}

/** The directory of a claim: a relative one is of this program, since the spare has another; the CLI expands `~`. */
function claimedDirectory({ cwd }: ClaimOptions, host: Host): string {
  if (!cwd?.trim() || /^~(?:\/|$)/.test(cwd)) return cwd;
  const here = () => directoryNow() ?? host.cwd();
  return fromHere({ cwd: here, platform: host.platform }, cwd);
}
