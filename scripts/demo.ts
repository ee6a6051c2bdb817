// Shows an agent at work: the real CLI against a scripted model, driven by query().
//   npm run demo               the scripted model on loopback, no API key
//   npm run demo -- --live     the real model, with your own login or API key
// It runs without deno.json, so that nothing but Deno and the CLI is fetched for it.
import { stdout } from "node:process";
import { styleText } from "node:util";
import {
  type DemoListener,
  playDemo,
  withScriptedModel,
  withStandIn,
} from "../src/command/demo_story.ts";
import { textOf, toolUsesOf } from "../src/parse/read.ts";
import type { AgentOptions } from "../src/types/options.ts";
import { installCli } from "./install/cli.ts";
import { say } from "./project.ts";

const HELP = `Usage: npm run demo [-- --live] [--help]

Runs the real Claude Code CLI through query(): streaming text, a permission that
is asked, a hook that fires, a tool of this program; then a second answer from a
warm process, with its time beside the first, and the cost.

  --live   uses the real model, with your own login or API key
  --help   prints this`;

/** Colours of the kinds of notes. */
const COLOURS: Readonly<Record<string, "cyan" | "green" | "yellow">> = {
  calls: "cyan",
  tool: "cyan",
  asked: "yellow",
  done: "green",
};

/** Whether the agent's text is in the middle of a line. */
let isInText = false;

const LISTENER: DemoListener = {
  prompt: (text) =>
    Promise.resolve(say(`${styleText("bold", "You:")}    ${text}`)),
  note: (kind, text) => Promise.resolve(note(kind, text)),
  message(message) {
    if (message.type === "stream_event") write(textOf(message));
    for (const { name } of toolUsesOf(message)) note("calls", name);
    if (message.type === "result") {
      const { duration_ms: ms, num_turns: turns, total_cost_usd: usd } =
        message;
      note(
        "done",
        `${turns} ${turns === 1 ? "turn" : "turns"}, ${ms} ms, $${
          usd.toFixed(4)
        }`,
      );
    }
    return Promise.resolve();
  },
};

if (Deno.args.includes("--help")) say(HELP);
else await demo(Deno.args.includes("--live"));

async function demo(isLive: boolean): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sluice-demo-" });
  const cli = await installCli();
  say("");
  const play = (connection: AgentOptions) =>
    playDemo(connection, folder, LISTENER);
  try {
    if ("problem" in cli) {
      say(`${cli.problem}\nShowing a stand-in CLI instead.\n`);
      await withStandIn(play);
    } else if (isLive) {
      await play({ cliPath: cli.path });
    } else {
      const home = `${folder}/home`;
      await Deno.mkdir(home);
      const path = Deno.env.get("PATH") ?? "";
      await withScriptedModel({ cliPath: cli.path, home, path }, play);
      say(
        "\nThe model was a script. With the real one: npm run demo -- --live",
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Streams a piece of the agent's text. */
function write(text: string): void {
  if (text === "") return;
  stdout.write(isInText ? text : `${styleText("bold", "Agent:")}  ${text}`);
  isInText = true;
}

function note(kind: string, text: string): void {
  if (isInText) say("");
  isInText = false;
  say(`  ${styleText(COLOURS[kind] ?? "dim", kind.padEnd(6))}${text}`);
}
