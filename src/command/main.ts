import type { Program } from "../runtime/program.ts";
import { completion } from "./completion.ts";
import { DONE } from "./exit_code.ts";
import { type Screen, screen } from "./screen.ts";
import { type Actions, parse } from "./tree.ts";

/** Runs a command line; gives the exit code. */
export async function main(
  args?: readonly string[],
  self?: Program,
): Promise<number> {
  const on = screen(self);
  const words = args ?? on.program.args;
  try {
    return await parse(words, on, actionsOn(on));
  } catch (error) {
    const { tellError } = await import("./told_error.ts");
    return await tellError(error, on, words.includes("--json"));
  }
}

/** What each command does; its code is loaded when it is called. */
function actionsOn(on: Screen): Actions {
  const actions: Actions = {
    doctor: async (flags) => (await import("./doctor.ts")).doctor(flags, on),
    run: async (prompt, flags) =>
      (await import("./run.ts")).run(prompt, flags, on),
    chat: async (flags) => (await import("./chat.ts")).chat(flags, on),
    record: async (file, given, { force }) => {
      const words = given[0] === "--" ? given.slice(1) : given;
      const record = { file, isForced: force === true, hasBegun: false };
      try {
        return await parse(words[0] === "chat" ? words : asRun(words), on, {
          ...actions,
          run: (prompt, flags) => actions.run(prompt, { ...flags, record }),
          chat: (flags) => actions.chat({ ...flags, record }),
        });
      } finally {
        if (record.hasBegun) await on.note(on.err.dim(`recorded in ${file}`));
      }
    },
    inspect: async (file, flags) =>
      (await import("./inspect.ts")).inspect(file, flags, on),
    demo: async (flags) => (await import("./demo.ts")).demo(flags, on),
    worker: async (flags) => (await import("./fleet.ts")).worker(flags, on),
    jobs: async (action, id, flags) =>
      (await import("./fleet.ts")).jobs(action, id, flags, on),
    completion: async (shell, commands) => {
      await on.write(completion(shell, commands));
      return DONE;
    },
  };
  return actions;
}

/** `record FILE -- ...` takes what `run` takes, with or without its name. */
function asRun(words: readonly string[]): readonly string[] {
  return words[0] === "run" ? words : ["run", ...words];
}
