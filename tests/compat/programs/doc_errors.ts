import type { Model, Options, Program } from "../_program.ts";

export const model: Model = [
  { tool: "Bash", input: { command: "echo 1", description: "1" } },
  { tool: "Bash", input: { command: "echo 2", description: "2" } },
  { error: { status: 400, message: "no such thing" }, repeat: true },
];

/** What goes wrong, and by which words programs tell it. */
const program: Program = async ({ query, AbortError }, place) => {
  const { options, print } = place;
  const attempt = async (what: string, more: Options) => {
    const lines: string[] = [];
    try {
      for await (
        const message of query({
          prompt: "Go",
          options: {
            ...options,
            ...more,
            stderr: (data) => lines.push(...data.split("\n")),
          },
        })
      ) {
        if (message.type === "result") {
          print(what, message.subtype, message.is_error, message.num_turns);
          if (message.subtype !== "success") print(message.errors);
          else print(message.result);
        }
      }
      print(what, "ended");
    } catch (error) {
      const { name, message } = error as Error;
      print(what, error instanceof AbortError, name);
      print(message.split("\n")[0]);
      if (message.includes("exited with code 1")) print("by its code");
    }
  };
  await attempt("turns", { allowedTools: ["Bash"], maxTurns: 1 });
  await attempt("budget", { allowedTools: ["Bash"], maxBudgetUsd: 0.000001 });
  await attempt("key", {});
  await attempt("session", { resume: "11111111-2222-4333-8444-555555555555" });
  await attempt("flag", { extraArgs: { "no-such-flag": null } });
};

export default program;
