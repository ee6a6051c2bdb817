import { printable } from "../errors/printable.ts";
import type { CliFlags, Screen } from "./command_line.ts";
import { DONE } from "./exit_codes.ts";
import { connect, type FleetFlags } from "./fleet.ts";

interface WorkerFlags extends FleetFlags, CliFlags {
  readonly concurrency?: number;
}

export async function worker(flags: WorkerFlags, on: Screen): Promise<number> {
  const fleet = await connect(flags, on);
  const say = async (text: string, facts: object) => {
    if (flags.json) await on.json(facts);
    else await on.note(printable(text));
  };
  const given: (() => void)[] = [];
  try {
    const { concurrency, options } = flags;
    const now = new AbortController();
    const working = await fleet.work({
      concurrency,
      drainOnSignal: false,
      signal: now.signal,
      options,
      metrics: {
        attemptStart(job: string, attempt: number, ms: number) {
          const waitedMs = Math.round(ms);
          const facts = { type: "begin", job, attempt, waitedMs };
          void say(`${job}: attempt ${attempt} begins`, facts);
        },
        attemptEnd(job: string, attempt: number, outcome: string, ms: number) {
          const durationMs = Math.round(ms);
          const facts = { type: "end", job, attempt, outcome, durationMs };
          void say(`${job}: attempt ${attempt} ${outcome}`, facts);
        },
      },
      logger: {
        debug() {},
        info() {},
        warn: (text: string) => void on.note(on.err.yellow(printable(text))),
        error: (text: string) => void on.note(on.err.red(printable(text))),
      },
    });
    let isDraining = false;
    const end = () => {
      if (isDraining) return now.abort(new Error("Told twice to end"));
      isDraining = true;
      const { running } = working;
      const text = running === 0
        ? "ends"
        : `ends when what runs is done (jobs: ${running}), in 30 s at most; Ctrl-C again gives it back now`;
      void say(text, { type: "drain", running });
      void working.drain();
    };
    // A terminal that is closed is no reason to lose what runs.
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      given.push(on.program.onSignal(signal, end));
    }
    const { name } = working;
    const facts = { type: "ready", worker: name };
    await say(`${name} works; Ctrl-C drains it`, facts);
    await working.ended;
    return DONE;
  } finally {
    for (const giveBack of given) giveBack();
    await fleet.close();
  }
}
