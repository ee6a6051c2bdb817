import { systemClock } from "../../async/system_clock.ts";
import { makeScratch } from "../../runtime/rerun.ts";
import type { FakeCli } from "../fake_cli.ts";
import type { FakeCliPlan } from "../fake_cli_script.ts";
import type { FakeCliWaitOptions } from "../watch.ts";
import { toScriptText } from "./check.ts";
import { decisionsIn, type Entry, linesIn, runsIn, showLast } from "./log.ts";

const POLL_MS = 5;

/** Makes a stand-in CLI of a plan and the command that plays the script in a folder. */
export function fakeCliOf(
  plan: FakeCliPlan,
  commandIn: (folder: string) => readonly string[],
): FakeCli {
  const scratch = makeScratch("fake-cli-");
  scratch.write("script.json", toScriptText(plan));
  // Whole lines only: the last one may be half written.
  const log = () =>
    scratch.read("log.jsonl").split("\n").slice(0, -1)
      .map((line) => JSON.parse(line) as Entry);
  /** What is noted comes from another process, so somebody has to look. */
  async function poll<T>(
    find: () => T | undefined,
    { timeoutMs = 10_000 }: FakeCliWaitOptions = {},
  ): Promise<T> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      if (performance.now() > end) {
        throw new Error(
          `Fake CLI did not get what was waited for within ${timeoutMs} ms: ${
            showLast(log())
          }`,
        );
      }
      await systemClock.sleep(POLL_MS);
    }
  }
  const cli: FakeCli = {
    cliPath: commandIn(scratch.path(".")),
    get received() {
      return linesIn(log());
    },
    get decisions() {
      return decisionsIn(log());
    },
    get runs() {
      return runsIn(log());
    },
    receivedLine: (fits, options) =>
      poll(() => cli.received.find(fits), options),
    until: (holds, options) =>
      poll(() => {
        const { runs } = cli;
        return holds(runs) ? runs : undefined;
      }, options),
    close() {
      scratch.remove();
      return Promise.resolve();
    },
    [Symbol.asyncDispose]: () => cli.close(),
  };
  return cli;
}
