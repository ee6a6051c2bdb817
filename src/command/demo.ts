import { discoverCli } from "../local_cli.ts";
import { resolvePath } from "../process/paths.ts";
import { host } from "../runtime/host.ts";
import type { AgentOptions } from "../types/options.ts";
import { type CliFlags, type Screen, untilEnded } from "./command_line.ts";
import { DONE } from "./exit_codes.ts";
import {
  type DemoListener,
  playDemo,
  withScriptedModel,
  withStandIn,
} from "./demo_story.ts";
import { printer } from "./printer.ts";

interface DemoFlags extends CliFlags {
  readonly live?: true;
}

/** Shows an agent at work: the CLI that is found with a model that plays a script, else a stand-in for it. */
export async function demo(flags: DemoFlags, on: Screen): Promise<number> {
  const { env, files, platform } = await host();
  const folder = await files.makeTemporaryDirectory("sluice-demo-");
  const { json } = flags;
  const { note, print } = printer(on, { json });
  const listener: DemoListener = {
    prompt: async (text) => {
      if (!json) await note(`${on.err.bold("You:")} ${text}`);
    },
    message: print,
    note: async (kind, text) => {
      if (!json) await note(`  ${on.err.dim(kind.padEnd(6))}${text}`);
    },
  };
  try {
    return await untilEnded(on, async (signal) => {
      const play = (connection: AgentOptions) =>
        playDemo({ ...connection, signal }, folder, listener);
      const { path } = await discoverCli({
        cliPath: flags.options.cliPath,
        signal,
      });
      if (path === undefined) {
        await on.note(
          "No Claude Code CLI was found: a stand-in plays its part",
        );
        await withStandIn(play);
      } else if (flags.live) await play({ cliPath: flags.options.cliPath });
      else {
        const home = resolvePath(folder, "home", platform);
        await files.makeDirectory(home);
        const { PATH = "" } = env();
        await withScriptedModel({ cliPath: path, home, path: PATH }, play);
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
