import assert from "node:assert/strict";
import { isGoneWithin, needsProc, needsShell } from "../_children.ts";
import { shellEnvironment, testStandIn } from "./_program.ts";
import { atTerminal, needsTmux, type Screen } from "./_tmux.ts";

const CALL = { tool: "Bash", input: { command: "rm -rf build" } } as const;
const BASH = "bash --norc --noprofile -i";
const ASKED = /or why not: $/m;
/** The CLI has ended before, or is about to. */
const BOUND_MS = 30_000;

async function suspend({ press, shows }: Screen): Promise<void> {
  press("C-z");
  await shows(/Stopped[^]*READY $/m);
}

async function askInChat({ press, shows }: Screen): Promise<void> {
  press("sluice chat", "Enter");
  await shows(/› *$/m);
  press("Clean", "Enter");
  await shows(ASKED);
}

async function askInRun({ press, shows }: Screen): Promise<void> {
  press("sluice run Clean", "Enter");
  await shows(ASKED);
}

for (
  const [what, stop, kill] of [
    ["sluice chat that is suspended at a question", async (screen) => {
      await askInChat(screen);
      await suspend(screen);
    }, "kill"],
    ["sluice chat that is suspended at its prompt", async (screen) => {
      screen.press("sluice chat", "Enter");
      await screen.shows(/› *$/m);
      await suspend(screen);
    }, "kill -HUP"],
    ["sluice chat that wants to go on in the background", async (screen) => {
      await askInChat(screen);
      await suspend(screen);
      screen.press("bg", "Enter");
      await screen.shows(/bg\n[^]*Stopped/);
    }, "kill"],
    ["sluice run that is suspended at a question", async (screen) => {
      await askInRun(screen);
      await suspend(screen);
    }, "kill -HUP"],
    ["sluice run that is suspended after a question", async (screen) => {
      await askInRun(screen);
      screen.press("no", "Enter");
      await screen.shows(/Later\./);
      await suspend(screen);
    }, "kill"],
    ["sluice run that is to ask in the background", async (screen) => {
      screen.press("sluice run Clean &", "Enter");
      await screen.shows(/Stopped/);
    }, "kill"],
  ] satisfies [string, (screen: Screen) => Promise<void>, string][]
) {
  testStandIn(
    `At a shell ${what} ends by "${kill} %1", and leaves the terminal to the shell`,
    [[CALL, "Later.", { wait: "forever" }]],
    async (standIn) => {
      const { fake, folder: cwd, signal } = standIn;
      const env = { ...await shellEnvironment(standIn), PS1: "READY " };
      await atTerminal(
        [],
        { cwd, env, signal, shell: BASH },
        async (screen) => {
          const { modes, press, shows } = screen;
          await shows(/READY $/m);
          // The shell tells at once that a job has ended.
          press("set -b", "Enter");
          await stop(screen);
          const before = modes();
          press(`${kill} %1`, "Enter");
          await shows(kill === "kill" ? /Terminated/ : /Hangup/);
          assert.equal(modes(), before);
        },
      );
      const [run] = fake.runs;
      assert.ok(
        run && await isGoneWithin(BOUND_MS, run.pid),
        "the CLI is gone",
      );
    },
    { skip: needsTmux ?? needsShell ?? needsProc },
  );
}
