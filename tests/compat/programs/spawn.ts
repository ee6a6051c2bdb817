import type { Model, Program } from "../_program.ts";
import { spawn } from "node:child_process";

export const model: Model = ["ok"];

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const spawned: string[] = [];
  for await (
    const message of query({
      prompt: "Go",
      options: {
        ...options,
        spawnClaudeCodeProcess({ command, args, cwd, env, signal }) {
          spawned.push(
            typeof command,
            `${args.length > 4}`,
            typeof cwd,
            `${env.CLAUDE_CODE_ENTRYPOINT}`,
            `${signal.aborted}`,
          );
          return spawn(command, args, {
            cwd,
            env,
            stdio: ["pipe", "pipe", "ignore"],
          });
        },
      },
    })
  ) {
    if (message.type === "result") print(message.subtype);
  }
  print(spawned.join(" "));
};

export default program;
