import {
  Argument,
  Command,
  CommanderError,
  InvalidArgumentError,
  Option,
} from "commander";
import type { PermissionMode } from "../protocol/permissions.ts";
import type { Program } from "../runtime/program.ts";
import { VERSION } from "../version.ts";
import {
  DONE,
  JOBS_ACTIONS,
  type Recording,
  type Screen,
  screen,
  USAGE,
} from "./command_line.ts";
import { JOB_STATES } from "./job_state.ts";

/** Runs a command line; gives the exit code. */
export async function main(
  args?: readonly string[],
  self?: Program,
): Promise<number> {
  const on = screen(self);
  const words = args ?? on.program.args;
  try {
    return await parse(words, on);
  } catch (error) {
    const { reportError } = await import("./reported_error.ts");
    return await reportError(error, on, words.includes("--json"));
  }
}

// Written out, since help would load the file that has them; one that is missing does not compile.
const MODES: Readonly<Record<PermissionMode, true>> = {
  default: true,
  acceptEdits: true,
  bypassPermissions: true,
  plan: true,
  dontAsk: true,
  auto: true,
};

const EXIT_CODES = `

Exit codes:
  0  done
  1  failed, or doctor found something broken
  2  wrong usage, nothing was started
  129  ended by SIGHUP: its terminal is gone
  130  ended by Ctrl-C
  143  ended by SIGTERM`;

/** Help for a flag or an argument, then its choices or its parser. */
type Meaning =
  | string
  // deno-lint-ignore no-explicit-any -- what was read before is of the reader's own type
  | readonly [string, readonly string[] | ((text: string, before: any) => any)];
type Meanings = Readonly<Record<string, Meaning>>;

const CLI_FLAGS: Meanings = {
  "--cli <path>": "the CLI to use, instead of the one that is found",
  "--cwd <folder>": "where it works; here unless given",
  "--json": "prints JSON for programs",
};

const AGENT_FLAGS: Meanings = {
  ...CLI_FLAGS,
  "--allow <rule>": [
    "tools that run unasked, such as 'Bash(git:*)'; may be given again",
    another,
  ],
  "--deny <rule>": [
    "tools that may not be used; may be given again",
    another,
  ],
  "--mode <mode>": ["who decides about tools", Object.keys(MODES)],
  "--model <model>": "the model",
  "--mcp <file>": "a file with MCP servers, as .mcp.json has them",
  "--resume <session>": "continues a session, by its id",
  "--continue": "continues the newest session of the folder",
  "--max-turns <count>": ["the most turns of the model", wholeNumber(1)],
  "--max-usd <amount>": ["the most that may be spent", amount],
};

const FLEET_FLAG = "--fleet <name>";
const FLEET_FLAGS: Meanings = {
  [FLEET_FLAG]: "name of the fleet",
  "--server <addresses>":
    "NATS servers, comma-separated; NATS_URL, else this machine",
  "--creds <file>": "credentials of the server",
  "--lease <ms>": [
    "how long a worker may be silent, where the fleet has another time than 30000",
    wholeNumber(1_000, 3_600_000),
  ],
};

/** Reads a command line and does what it says; gives the exit code. A recording is that of `record`, whose rest of the line it is. */
async function parse(
  words: readonly string[],
  on: Screen,
  record?: Recording,
): Promise<number> {
  let code = DONE;
  const said = { out: "", err: "" };
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

  add("doctor", "Check whether agents can run here, and suggest fixes", {
    examples: [
      "sluice doctor",
      "sluice doctor --json | jq '.findings[] | select(.status == \"error\")'",
    ],
    flags: CLI_FLAGS,
    does: async (flags) => (await import("./doctor.ts")).doctor(flags, on),
  });
  add("run", "Runs an agent on one prompt", {
    examples: [
      "sluice run 'Which files are here?'",
      "git diff | sluice run 'Review this change'",
      "sluice run --allow 'Bash(npm test:*)' --mode acceptEdits 'Make the tests pass'",
      'sluice run --schema \'{"type":"object","properties":{"n":{"type":"number"}}}\' \'How many files are here?\'',
    ],
    takes: {
      "[prompt]":
        "what to say; - or none: stdin. What comes by a pipe beside it is added to it",
    },
    flags: {
      "--schema <schema>":
        "JSON Schema, as text or as the path of a file; prints the answer as JSON that fits it",
      ...AGENT_FLAGS,
    },
    does: async (prompt, flags) =>
      (await import("./run.ts")).run(prompt, { ...flags, record }, on),
  });
  add("chat", "Talks with an agent, turn by turn", {
    examples: ["sluice chat", "sluice chat --continue --mode plan"],
    flags: AGENT_FLAGS,
    does: async (flags) =>
      (await import("./chat.ts")).chat({ ...flags, record }, on),
  });
  add("record", "Runs as run does, and writes down what went over the wire", {
    examples: [
      "sluice record run.jsonl -- 'Which files are here?'",
      "sluice record run.jsonl -- --mode acceptEdits 'Make the tests pass'",
      "sluice record --force chat.jsonl -- chat",
    ],
    takes: {
      "<file>": "the cassette: JSON lines, without secrets",
      "[words...]": "what run takes, or chat and what that takes",
    },
    flags: { "--force": "replaces a file that is there; stands before it" },
    does: (file, words, { force }) => recorded(file, force === true, words, on),
  }).passThroughOptions();
  add(
    "inspect",
    "Shows a cassette, or a session of the CLI, as one HTML page",
    {
      examples: [
        "sluice inspect run.jsonl",
        "sluice inspect run.jsonl -o - > run.html",
        "sluice inspect --serve run.jsonl",
      ],
      takes: { "<file>": "a cassette, or a session in ~/.claude/projects" },
      flags: {
        "-o, --output <file>": "the page; - is stdout; FILE.html unless given",
        "--serve": "serves the page on this machine, and follows the file",
        "--port <port>": [
          "the port for --serve; any that is free",
          wholeNumber(0, 65_535),
        ],
        "--json": "prints what the page shows as JSON",
      },
      does: async (file, flags) =>
        (await import("./inspect.ts")).inspect(file, flags, on),
    },
  );
  add("demo", "Shows an agent at work, without a login", {
    examples: ["sluice demo", "sluice demo --live"],
    flags: {
      "--live": "uses the real model, with your own login",
      ...CLI_FLAGS,
    },
    does: async (flags) => (await import("./demo.ts")).demo(flags, on),
  });
  add("worker", "Runs a fleet worker", {
    examples: [
      "sluice worker --fleet reviews",
      "sluice worker --fleet reviews --server nats://10.0.0.5:4222 --concurrency 4",
    ],
    flags: {
      ...CLI_FLAGS,
      "--concurrency <count>": [
        "how many jobs at a time; 1",
        wholeNumber(1, 1_000),
      ],
      ...FLEET_FLAGS,
    },
    does: async (flags) => (await import("./worker.ts")).worker(flags, on),
  });
  add("jobs", "Shows jobs of a fleet, and does something about one", {
    examples: [
      "sluice jobs list --fleet reviews --state running",
      "sluice jobs follow --fleet reviews ID",
      "sluice jobs approve --fleet reviews ID",
      "sluice jobs limit --fleet reviews NAME --most 3",
    ],
    takes: {
      "<action>": ["what to do", JOBS_ACTIONS],
      "[id]": "the job; none for list and dead; for limit the name of jobs",
    },
    flags: {
      "--json": "prints JSON for programs",
      "--reason <text>": "why, for cancel and deny",
      "--name <name>": "with list and dead: of this name alone",
      "--most <count>": [
        "with limit: how many of the name run at a time, or any",
        (text) => text === "any" ? text : wholeNumber(1, 1_000)(text),
      ],
      "--state <state>": ["with list: in this state alone", JOB_STATES],
      ...FLEET_FLAGS,
    },
    does: async (action, id, flags) =>
      (await import("./jobs.ts")).jobs(action, id, flags, on),
  });
  add("fleet-config", "Prints a NATS server configuration for fleets", {
    examples: [
      "(umask 077; sluice fleet-config reviews payroll --store /var/lib/nats > nats.conf)",
      "sluice fleet-config reviews --store /var/lib/nats --tls-cert cert.pem --tls-key key.pem",
    ],
    takes: {
      "<names...>": "the fleets, each with an account and a user of its name",
    },
    flags: {
      "--store <folder>": "where the server stores",
      "--listen <address>":
        "where the server listens; 0.0.0.0:4222 with TLS, else 127.0.0.1:4222",
      "--tls-cert <file>": "certificate of the server, which then demands TLS",
      "--tls-key <file>": "key of the certificate",
      "--tls-ca <file>": "demands client certificates signed by one of these",
    },
    does: async (names, flags) =>
      (await import("./fleet_config.ts")).fleetConfig(names, flags, on),
  });
  root.addHelpText(
    "after",
    showExamples([
      "sluice doctor",
      "sluice run 'Which files are here?'",
      "sluice record run.jsonl -- 'Which files are here?'",
      "sluice inspect run.jsonl",
    ]) + EXIT_CODES,
  ).showHelpAfterError("(sluice --help tells all commands)");

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

  function add(
    name: string,
    summary: string,
    { examples, takes = {}, flags = {}, does }: {
      readonly examples: readonly string[];
      readonly takes?: Meanings;
      readonly flags?: Meanings;
      /** Gives the exit code; its code is loaded when it is called. */
      // deno-lint-ignore no-explicit-any -- arguments and flags come as the command declares them
      does(...given: any[]): Promise<number>;
    },
  ): Command {
    const command = root.command(name).summary(summary)
      .description(`${summary}.`)
      .showHelpAfterError(`(sluice ${name} --help tells all of it)`)
      .addHelpText("after", showExamples(examples))
      .action(async (...given) => void (code = await does(...given)));
    for (const [name, meaning] of Object.entries(takes)) {
      command.addArgument(described(new Argument(name), meaning));
    }
    for (const [name, meaning] of Object.entries(flags)) {
      const option = described(new Option(name), meaning);
      command.addOption(option.makeOptionMandatory(name === FLEET_FLAG));
    }
    return command;
  }

  function showExamples(examples: readonly string[]): string {
    const lines = examples.map((one) => `  $ ${one}`).join("\n");
    return `\n${on.out.bold("Examples:")}\n${lines}`;
  }
}

/** `record FILE -- ...` takes what `run` takes, with or without its name. */
async function recorded(
  file: string,
  isForced: boolean,
  given: readonly string[],
  on: Screen,
): Promise<number> {
  const words = given[0] === "--" ? given.slice(1) : given;
  const isNamed = words[0] === "run" || words[0] === "chat";
  const record: Recording = { file, isForced, hasBegun: false };
  try {
    return await parse(isNamed ? words : ["run", ...words], on, record);
  } finally {
    if (record.hasBegun) await on.note(on.err.dim(`recorded in ${file}`));
  }
}

function described<Word extends Option | Argument>(
  word: Word,
  meaning: Meaning,
): Word {
  const [summary, read] = typeof meaning === "string" ? [meaning] : meaning;
  word.description = summary;
  if (typeof read === "function") word.argParser(read);
  else if (read !== undefined) word.choices(read);
  return word;
}

/** For a flag that may be given several times. */
function another(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one];
}

function wholeNumber(
  least: number,
  most = Infinity,
): (text: string) => number {
  return (text) => {
    const value = Number(text);
    const isFine = text.trim() !== "" && Number.isInteger(value) &&
      value >= least && value <= most;
    if (isFine) return value;
    const end = most === Infinity ? "" : ` to ${most}`;
    throw new InvalidArgumentError(
      `Expected is a whole number from ${least}${end}.`,
    );
  };
}

function amount(text: string): number {
  const value = Number(text);
  if (value > 0 && value < Infinity) return value;
  throw new InvalidArgumentError("Expected is a number above 0.");
}
