import {
  Argument,
  Command,
  CommanderError,
  InvalidArgumentError,
  Option,
} from "commander";
import type { Program } from "../runtime/program.ts";
import { VERSION } from "../version.ts";
import { type Recording, type Screen, screen } from "./command_line.ts";
import { DONE, EXIT_CODES, USAGE } from "./exit_codes.ts";
import { COMMANDS } from "./commands.ts";
import { NEEDED, optionsOf, VALUES } from "./flags.ts";

/** Runs a command line; gives the exit code. */
export async function main(
  args?: readonly string[],
  self?: Program,
): Promise<number> {
  const on = screen(self);
  const words = args ?? on.program.args;
  const { outputClosed, outputFailure } = on.program;
  const report = async (error: unknown) => {
    const { reportError } = await import("./reported_error.ts");
    return await reportError(error, on, words.includes("--json"));
  };
  let code: number;
  try {
    code = await parse(words, on);
  } catch (error) {
    // Without an output other failures do not matter.
    code = outputClosed.aborted ? DONE : await report(error);
  }
  const failure = outputFailure();
  if (failure === undefined) return code;
  const failed = await report(failure);
  return code === DONE ? failed : code;
}

const EXAMPLES = [
  "sluice doctor",
  "sluice run 'Which files are here?'",
  "sluice record run.jsonl -- 'Which files are here?'",
  "sluice inspect run.jsonl",
];

function showExitCodes(): string {
  const lines = [...EXIT_CODES].map(([code, text]) => `  ${code}  ${text}`);
  return ["\n\nExit codes:", ...lines].join("\n");
}

/** Reads a command line and does what it says; gives the exit code. A recording is that of `record`, whose rest of the line it is. */
async function parse(
  words: readonly string[],
  on: Screen,
  record?: Recording,
): Promise<number> {
  let code = DONE;
  const said = { out: "", err: "" };
  const root = new Command("sluice")
    .description("Runs, records and inspects agents, and checks the setup.")
    .version(`sluice ${VERSION}`, "-V, --version", "prints the version")
    .helpOption("-h, --help", "prints help for a command")
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void (said.out += text),
      writeErr: (text) => void (said.err += text),
      getOutHelpWidth: () => on.width,
      getErrHelpWidth: () => on.width,
      getOutHasColors: () => on.out.isColorSupported,
      getErrHasColors: () => on.err.isColorSupported,
    })
    .configureHelp({
      styleTitle: (text) => on.out.bold(text),
      styleCommandText: (text) => on.out.cyan(text),
      styleSubcommandText: (text) => on.out.cyan(text),
      styleOptionText: (text) => on.out.green(text),
    })
    .addHelpText("after", showExamples(EXAMPLES, on) + showExitCodes())
    .showHelpAfterError("(sluice --help lists all commands)");
  for (const [name, row] of Object.entries(COMMANDS)) {
    const { examples, flags = {}, summary } = row;
    const command = root.command(name).summary(summary)
      .description(`${summary}.`)
      .passThroughOptions(name === "record")
      .showHelpAfterError(`(sluice ${name} --help lists its flags)`)
      .addHelpText("after", showExamples(examples, on))
      .action(async (...given) => {
        const values = command.opts();
        code = await row.run({
          words: given.slice(0, -2),
          flags: { ...values, options: optionsOf(values), record },
          on,
          again: (words, record) => parse(words, on, record),
        });
      });
    for (const [name, help] of Object.entries(row.arguments ?? {})) {
      command.addArgument(typed(new Argument(name, help), name));
    }
    for (const [name, help] of Object.entries(flags)) {
      const option = typed(new Option(name, help), name);
      const isNeeded = NEEDED.includes(option.name());
      command.addOption(option.makeOptionMandatory(isNeeded));
    }
  }

  try {
    await root.parseAsync([...words], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    code = error.exitCode === 0 ? DONE : USAGE;
    const text = error.code === "commander.excessArguments" &&
        error.message.includes("'run'")
      ? `${error.message} Quote the prompt.`
      : error.message;
    said.err = said.err.replace(error.message, () => text);
    if (code === USAGE && words.includes("--json")) {
      const message = text.replace(/^error: /, "");
      await on.json({ type: "error", code: "usage", message });
    }
  }
  if (said.out !== "") await on.write(said.out);
  if (said.err !== "") await on.program.writeError(said.err);
  return code;
}

function showExamples(examples: readonly string[], { out }: Screen): string {
  const lines = examples.map((one) => `  $ ${one}`).join("\n");
  return `\n${out.bold("Examples:")}\n${lines}`;
}

function typed<Word extends Option | Argument>(word: Word, name: string): Word {
  const type = VALUES[/<(\w+)>/.exec(name)?.[1] ?? ""];
  if (type === "number") word.argParser(number);
  else if (type === "list") {
    word.argParser((one, all: readonly string[] = []) => [...all, one]);
  } else if (type !== undefined) word.choices(type);
  return word;
}

function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && !Number.isNaN(value)) return value;
  throw new InvalidArgumentError("Expected a number.");
}
