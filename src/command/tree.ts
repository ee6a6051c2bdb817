import {
  Command,
  CommanderError,
  InvalidArgumentError,
  Option,
} from "commander";
import { JOB_STATES } from "../fleet/job_states.ts";
import type { PermissionMode } from "../protocol/permissions.ts";
import type { JobState } from "../types/fleet.ts";
import { VERSION } from "../version.ts";
import { DONE, USAGE } from "./exit_code.ts";
import type { Screen } from "./screen.ts";

/** What is wrong with the words of a command line, beyond what the parser sees. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** Flags of every command that starts a CLI. */
export interface CliFlags {
  readonly cli?: string;
  readonly cwd?: string;
  readonly json?: true;
}

/** Flags of `doctor`. */
export interface DoctorFlags extends CliFlags {
  readonly fix?: true;
}

/** Flags of `chat`. */
export interface ChatFlags extends CliFlags {
  readonly allow?: readonly string[];
  readonly deny?: readonly string[];
  readonly mode?: PermissionMode;
  readonly model?: string;
  readonly mcp?: string;
  readonly resume?: string;
  readonly continue?: true;
  readonly maxTurns?: number;
  readonly maxUsd?: number;
  /** What `record` writes; no flag. */
  readonly record?: Recording;
}

/** Flags of `record`. */
export interface RecordFlags {
  readonly force?: true;
}

/** A cassette that is to be written. */
export interface Recording {
  readonly file: string;
  /** Whether a file that is there may be replaced. */
  readonly isForced: boolean;
  /** Whether anything was written. */
  hasBegun: boolean;
}

/** Flags of `run`. */
export interface RunFlags extends ChatFlags {
  readonly schema?: string;
}

/** Flags of `inspect`. */
export interface InspectFlags {
  readonly output?: string;
  readonly json?: true;
  readonly serve?: true;
  readonly port?: number;
}

/** Flags of `demo`. */
export interface DemoFlags extends CliFlags {
  readonly live?: true;
}

/** Flags of every command about a fleet. */
export interface FleetFlags {
  readonly fleet: string;
  readonly server?: string;
  readonly creds?: string;
  readonly lease?: number;
  readonly json?: true;
}

/** Flags of `worker`. */
export interface WorkerFlags extends FleetFlags {
  readonly cli?: string;
  readonly cwd?: string;
  readonly concurrency?: number;
}

/** Flags of `jobs`. */
export interface JobsFlags extends FleetFlags {
  readonly state?: JobState;
  readonly name?: string;
  readonly reason?: string;
  readonly most?: number | "any";
}

/** What `jobs` can do. */
const JOBS_ACTIONS = [
  "list",
  "show",
  "follow",
  "cancel",
  "approve",
  "deny",
  "retry",
  "dead",
  "limit",
] as const;
export type JobsAction = typeof JOBS_ACTIONS[number];

/** Written out, since help would load the whole core for them; one that is missing does not compile. */
const MODES: Readonly<Record<PermissionMode, true>> = {
  default: true,
  acceptEdits: true,
  bypassPermissions: true,
  plan: true,
  dontAsk: true,
  auto: true,
};

/** What the commands do; each gives the exit code. */
export interface Actions {
  doctor(flags: DoctorFlags): Promise<number>;
  run(prompt: string | undefined, flags: RunFlags): Promise<number>;
  chat(flags: ChatFlags): Promise<number>;
  record(
    file: string,
    words: readonly string[],
    flags: RecordFlags,
  ): Promise<number>;
  inspect(file: string, flags: InspectFlags): Promise<number>;
  demo(flags: DemoFlags): Promise<number>;
  worker(flags: WorkerFlags): Promise<number>;
  jobs(
    action: JobsAction,
    id: string | undefined,
    flags: JobsFlags,
  ): Promise<number>;
  completion(shell: Shell, program: CommandShape): Promise<number>;
}

/** The shells that are completed. */
const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = typeof SHELLS[number];

/** What a shell has to know of a command. */
export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly FlagShape[];
  /** What may stand for its first argument. */
  readonly words: readonly string[];
  /** Whether arguments are paths. */
  readonly takesFiles: boolean;
  readonly commands: readonly CommandShape[];
}

/** What a shell has to know of a flag. */
export interface FlagShape {
  readonly long: string;
  readonly short: string | undefined;
  readonly summary: string;
  readonly choices: readonly string[];
  readonly takesValue: boolean;
}

const EXIT_CODES = `

Exit codes:
  0  done
  1  failed, or doctor found something broken
  2  wrong usage, nothing was started
  129  ended by SIGHUP: its terminal is gone
  130  ended by Ctrl-C
  143  ended by SIGTERM`;

/** Reads a command line and does what it says; gives the exit code. */
export async function parse(
  words: readonly string[],
  on: Screen,
  actions: Actions,
): Promise<number> {
  let code = DONE;
  const said = { out: "", err: "" };
  const root = tree(on, said, (work) => async (...given: unknown[]) => {
    code = await work(actions, ...given);
  });
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

/** Makes the action of a command; what the parser hands over is of the types that the tree says. */
type Bind = (
  // deno-lint-ignore no-explicit-any -- arguments and flags come as each command declares them
  work: (actions: Actions, ...given: any[]) => Promise<number>,
) => (...given: unknown[]) => Promise<void>;

/** The whole command line, as data for the parser. */
function tree(
  on: Screen,
  said: { out: string; err: string },
  bind: Bind,
): Command {
  const root = new Command("sluice")
    .description(
      "Looks whether agents can run here, runs and records them, and shows what they did.",
    )
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
    });
  const add = (name: string, summary: string, examples: readonly string[]) =>
    root.command(name).summary(summary).description(`${summary}.`)
      .showHelpAfterError(`(sluice ${name} --help tells all of it)`)
      .addHelpText("after", showExamples(on, examples));

  cliFlags(
    add("doctor", "Looks whether agents can run here, and says what helps", [
      "sluice doctor",
      "sluice doctor --fix",
      "sluice doctor --json | jq '.findings[] | select(.status == \"error\")'",
    ]).option("--fix", "does what is safe: ends processes that were left over"),
  ).action(bind((actions, flags) => actions.doctor(flags)));

  agentFlags(
    add("run", "Runs an agent on one prompt", [
      "sluice run 'Which files are here?'",
      "git diff | sluice run 'Review this change'",
      "sluice run --allow 'Bash(npm test:*)' --mode acceptEdits 'Make the tests pass'",
      'sluice run --schema \'{"type":"object","properties":{"n":{"type":"number"}}}\' \'How many files are here?\'',
    ]).argument(
      "[prompt]",
      "what to say; - or none: stdin. What comes by a pipe beside it is added to it",
    ).option(
      "--schema <schema>",
      "JSON Schema, as text or as the path of a file; prints the answer as JSON that fits it",
    ),
  ).action(bind((actions, prompt, flags) => actions.run(prompt, flags)));

  agentFlags(
    add("chat", "Talks with an agent, turn by turn", [
      "sluice chat",
      "sluice chat --continue --mode plan",
    ]),
  ).action(bind((actions, flags) => actions.chat(flags)));

  add("record", "Runs as run does, and writes down what went over the wire", [
    "sluice record run.jsonl -- 'Which files are here?'",
    "sluice record run.jsonl -- --mode acceptEdits 'Make the tests pass'",
    "sluice record --force chat.jsonl -- chat",
  ]).argument("<file>", "the cassette: JSON lines, without secrets")
    .argument("[words...]", "what run takes, or chat and what that takes")
    .option("--force", "replaces a file that is there; stands before it")
    .passThroughOptions()
    .action(
      bind((actions, file, words, flags) => actions.record(file, words, flags)),
    );

  add(
    "inspect",
    "Shows a cassette, or a session of the CLI, as one HTML page",
    [
      "sluice inspect run.jsonl",
      "sluice inspect run.jsonl -o - > run.html",
      "sluice inspect --serve run.jsonl",
    ],
  ).argument("<file>", "a cassette, or a session in ~/.claude/projects")
    .option(
      "-o, --output <file>",
      "the page; - is stdout; FILE.html unless given",
    )
    .option("--serve", "serves the page on this machine, and follows the file")
    .addOption(
      new Option("--port <port>", "the port for --serve; any that is free")
        .argParser((text) => wholeNumber(text, 0, 65_535)),
    )
    .option("--json", "prints what the page shows as JSON")
    .action(bind((actions, file, flags) => actions.inspect(file, flags)));

  cliFlags(
    add("demo", "Shows an agent at work, without a login", [
      "sluice demo",
      "sluice demo --live",
    ]).option("--live", "uses the real model, with your own login"),
  ).action(bind((actions, flags) => actions.demo(flags)));

  fleetFlags(
    cliFlags(
      add("worker", "Does jobs of a fleet, until it is told to end", [
        "sluice worker --fleet reviews",
        "sluice worker --fleet reviews --server nats://10.0.0.5:4222 --concurrency 4",
      ]),
    ).addOption(
      new Option("--concurrency <count>", "how many jobs at a time; 1")
        .argParser((text) => wholeNumber(text, 1, 1_000)),
    ),
  ).action(bind((actions, flags) => actions.worker(flags)));

  fleetFlags(
    add("jobs", "Shows jobs of a fleet, and does something about one", [
      "sluice jobs list --fleet reviews --state running",
      "sluice jobs follow --fleet reviews ID",
      "sluice jobs approve --fleet reviews ID",
      "sluice jobs limit --fleet reviews NAME --most 3",
    ]).addArgument(
      root.createArgument("<action>", "what to do").choices(JOBS_ACTIONS),
    ).argument(
      "[id]",
      "the job; none for list and dead; for limit the name of jobs",
    )
      .option("--json", "prints JSON for programs")
      .option("--reason <text>", "why, for cancel and deny")
      .option("--name <name>", "with list and dead: of this name alone")
      .addOption(
        new Option(
          "--most <count>",
          "with limit: how many of the name run at a time, or any",
        ).argParser((text) =>
          text === "any" ? "any" : wholeNumber(text, 1, 1_000)
        ),
      )
      .addOption(
        new Option("--state <state>", "with list: in this state alone")
          .choices(JOB_STATES),
      ),
  ).action(
    bind((actions, action, id, flags) => actions.jobs(action, id, flags)),
  );

  add("completion", "Prints what makes a shell complete commands and flags", [
    "source <(sluice completion bash)",
    "sluice completion zsh > ~/.zfunc/_sluice",
    "sluice completion fish > ~/.config/fish/completions/sluice.fish",
  ]).addArgument(
    root.createArgument("<shell>", "the shell").choices(SHELLS),
  ).action(bind((actions, shell) => actions.completion(shell, shapeOf(root))));

  root.addHelpText(
    "after",
    showExamples(on, [
      "sluice doctor",
      "sluice run 'Which files are here?'",
      "sluice record run.jsonl -- 'Which files are here?'",
      "sluice inspect run.jsonl",
    ]) + EXIT_CODES,
  );
  return root.showHelpAfterError("(sluice --help tells all commands)");
}

function cliFlags(command: Command): Command {
  return command
    .option("--cli <path>", "the CLI to use, instead of the one that is found")
    .option("--cwd <folder>", "where it works; here unless given")
    .option("--json", "prints JSON for programs");
}

function fleetFlags(command: Command): Command {
  return command
    .requiredOption("--fleet <name>", "name of the fleet")
    .option(
      "--server <addresses>",
      "NATS servers, comma-separated; NATS_URL, else this machine",
    )
    .option("--creds <file>", "credentials of the server")
    .addOption(
      new Option(
        "--lease <ms>",
        "how long a worker may be silent, where the fleet has another time than 30000",
      ).argParser((text) => wholeNumber(text, 1_000, 3_600_000)),
    );
}

function agentFlags(command: Command): Command {
  return cliFlags(command)
    .addOption(
      list("--allow <rule>", "tools that run unasked, such as 'Bash(git:*)'"),
    )
    .addOption(list("--deny <rule>", "tools that may not be used"))
    .addOption(
      new Option("--mode <mode>", "who decides about tools")
        .choices(Object.keys(MODES)),
    )
    .option("--model <model>", "the model")
    .option("--mcp <file>", "a file with MCP servers, as .mcp.json has them")
    .option("--resume <session>", "goes on with a session, by its id")
    .option("--continue", "goes on with the newest session of the folder")
    .addOption(
      new Option("--max-turns <count>", "the most turns of the model")
        .argParser((text) => wholeNumber(text, 1)),
    )
    .addOption(
      new Option("--max-usd <amount>", "the most that may be spent")
        .argParser(amount),
    );
}

/** A flag that may be given several times. */
function list(flags: string, summary: string): Option {
  return new Option(flags, `${summary}; may be given again`)
    .argParser((one: string, all: readonly string[] = []) => [...all, one]);
}

function wholeNumber(text: string, least: number, most = Infinity): number {
  const value = Number(text);
  const isFine = text.trim() !== "" && Number.isInteger(value) &&
    value >= least && value <= most;
  if (isFine) return value;
  throw new InvalidArgumentError(
    `Expected is a whole number from ${least}${
      most === Infinity ? "" : ` to ${most}`
    }.`,
  );
}

function amount(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError("Expected is a number above 0.");
}

function showExamples(on: Screen, examples: readonly string[]): string {
  const lines = examples.map((one) => `  $ ${one}`).join("\n");
  return `\n${on.out.bold("Examples:")}\n${lines}`;
}

function shapeOf(command: Command): CommandShape {
  const [first] = command.registeredArguments;
  return {
    name: command.name(),
    summary: command.summary(),
    flags: command.createHelp().visibleOptions(command).map((option) => ({
      long: option.long ?? "",
      short: option.short,
      summary: option.description,
      choices: option.argChoices ?? [],
      takesValue: option.required || option.optional,
    })),
    words: first?.argChoices ?? [],
    takesFiles: first?.name() === "file",
    commands: command.commands.map(shapeOf),
  };
}
