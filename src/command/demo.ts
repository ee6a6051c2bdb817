import { discoverCli } from "../local_cli.ts";
import { host } from "../runtime/host.ts";
import { resolvePath } from "../process/paths.ts";
import type { AgentOptions } from "../types/options.ts";
import { playDemo, withScriptedModel, withStandIn } from "./demo_story.ts";
import { DONE } from "./exit_code.ts";
import { untilEnded } from "./interrupts.ts";
import type { Screen } from "./screen.ts";
import { teller } from "./teller.ts";
import type { CliFlags } from "./flags.ts";

interface DemoFlags extends CliFlags {
  readonly live?: true;
}

/** Shows an agent at work: the CLI that is found with a model that plays a script, else a stand-in for it. */
export async function demo(flags: DemoFlags, on: Screen): Promise<number> {
  const { env, files, platform } = await host();
  const folder = await files.makeTemporaryDirectory("sluice-demo-");
  try {
    return await untilEnded(on.program, async (signal) => {
      const play = (connection: AgentOptions) =>
        tell({ ...connection, signal }, folder, flags, on);
      const { path } = await discoverCli({ cliPath: flags.cli, signal });
      if (path === undefined) {
        await on.note(
          "No Claude Code CLI was found: a stand-in plays its part",
        );
        await withStandIn(play);
      } else if (flags.live) await play({ cliPath: flags.cli });
      else {
        const home = resolvePath(folder, "home", platform);
        await files.makeDirectory(home);
        const { PATH: search = "" } = env();
        const place = { cliPath: path, home, path: search };
        await withScriptedModel(place, play);
        await on.note(
          on.err.dim(
            "The model was a script; sluice demo --live asks the real one",
          ),
        );
      }
      return DONE;
    });
  } finally {
    await files.remove(folder);
  }
}

async function tell(
  connection: AgentOptions,
  cwd: string,
  { json }: DemoFlags,
  on: Screen,
): Promise<void> {
  const { note, tell } = teller(on, { json });
  await playDemo(connection, cwd, {
    prompt: async (text) => {
      if (!json) await note(`${on.err.bold("You:")} ${text}`);
    },
    message: tell,
    note: async (kind, text) => {
      if (!json) await note(`  ${on.err.dim(kind.padEnd(6))}${text}`);
    },
  });
}
