import { systemClock } from "../../async/system_clock.ts";
import { makeScratch } from "../../runtime/rerun.ts";
import type { JsonObject } from "../../types/json.ts";
import type { FakeCli } from "../fake_cli_record.ts";
import type { FakeCliPlan } from "../fake_cli_script.ts";
import { type WaitOptions, Watch } from "../watch.ts";
import { memoryCli } from "./memory_cli.ts";
import { readRecord } from "./record.ts";

const POLL_MS = 5;
/** Rounds of the event loop in which a line in the pipe is read and handled. */
const READING_ROUNDS = 5;

/** Makes a fake CLI of a plan and the command that plays the script in a folder. */
export function fakeCliOf(
  plan: FakeCliPlan,
  commandIn: (folder: string) => readonly string[],
): FakeCli {
  const scratch = makeScratch("fake-cli-");
  scratch.write("script.json", JSON.stringify(plan, saveable));
  const read = () => readRecord(scratch.read("log.jsonl"));
  /** Looks again and again, because another process writes the log. */
  async function poll<T>(
    find: () => T | undefined,
    options: WaitOptions = {},
  ): Promise<T> {
    const watch = new Watch();
    const timer = setInterval(() => watch.stir(), POLL_MS);
    try {
      return await watch.withTimeout(find, options, {
        missing: "Condition of the fake CLI was not met",
        got: () => read().newest,
      });
    } finally {
      clearInterval(timer);
    }
  }
  const cli: FakeCli = {
    cliPath: commandIn(scratch.path(".")),
    transport: memoryCli(scratch),
    get received() {
      return read().received;
    },
    get decisions() {
      return read().decisions;
    },
    get runs() {
      return read().runs;
    },
    receivedLine: (fits, options) =>
      poll(() => cli.received.find(fits), options),
    until: (holds, options) =>
      poll(() => {
        const { runs } = cli;
        return holds(runs) ? runs : undefined;
      }, options),
    async untilAsked(fits = isPermission, options) {
      const request = await poll(() => read().open.find(fits), options);
      // It is in the pipe: the host reads it in the next rounds of its event loop.
      for (let round = 0; round < READING_ROUNDS; round++) {
        await systemClock.sleep(1);
      }
      return request;
    },
    close() {
      scratch.remove();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => cli.close(),
  };
  return cli;
}

function saveable(_key: string, value: unknown): unknown {
  if (!(value instanceof RegExp)) return value;
  const { source, flags } = value;
  return { source, flags };
}

function isPermission({ subtype }: JsonObject): boolean {
  return subtype === "can_use_tool";
}
