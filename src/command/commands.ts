import type { Recording, Screen } from "./command_line.ts";
import { DONE } from "./exit_codes.ts";
import { AGENT_FLAGS, CLI_FLAGS, FLEET_FLAGS, type Words } from "./flags.ts";

/** A command of the program. */
export interface CommandRow {
  readonly summary: string;
  readonly examples: readonly string[];
  readonly arguments?: Words;
  readonly flags?: Words;
  /** Gives the exit code; its code is loaded when it is called. */
  run(given: Given): Promise<number>;
}

/** A command line that was read. */
export interface Given {
  // deno-lint-ignore no-explicit-any -- arguments are as the command declares them
  readonly words: readonly any[];
  // deno-lint-ignore no-explicit-any -- flags are as the command declares them
  readonly flags: any;
  readonly on: Screen;
  /** Runs another command line, that of `record`. */
  again(words: readonly string[], record: Recording): Promise<number>;
}

export const COMMANDS: Readonly<Record<string, CommandRow>> = {
  doctor: {
    summary: "Checks whether agents can run here, and suggests fixes",
    examples: [
      "sluice doctor",
      "sluice doctor --json | jq '.findings[] | select(.status == \"error\")'",
    ],
    flags: CLI_FLAGS,
    run: async ({ flags, on }) =>
      (await import("./doctor.ts")).doctor(flags, on),
  },
  run: {
    summary: "Runs an agent on one prompt",
    examples: [
      "sluice run 'Which files are here?'",
      "git diff | sluice run 'Review this change'",
      "sluice run --allow 'Bash(npm test:*)' --mode acceptEdits 'Make the tests pass'",
      'sluice run --schema \'{"type":"object","properties":{"n":{"type":"number"}}}\' \'How many files are here?\'',
    ],
    arguments: {
      "[prompt]":
        "the prompt; - or none: stdin. Piped text is added below the prompt",
    },
    flags: {
      "--schema <schema>":
        "JSON Schema, as text or as the path of a file; prints the answer as JSON that fits it",
      ...AGENT_FLAGS,
    },
    run: async ({ flags, on, words }) =>
      (await import("./run.ts")).run(words[0], flags, on),
  },
  chat: {
    summary: "Talks with an agent, turn by turn",
    examples: ["sluice chat", "sluice chat --continue --mode plan"],
    flags: AGENT_FLAGS,
    run: async ({ flags, on }) => (await import("./chat.ts")).chat(flags, on),
  },
  web: {
    summary: "Talks with agents on a page in the browser",
    examples: ["sluice web", "sluice web --continue --port 3000 --no-open"],
    flags: {
      "--port <port>": "port of the page; default: a free port",
      "--open": "opens a browser; default at a terminal",
      "--no-open": "opens no browser; the address is printed anyway",
      ...AGENT_FLAGS,
    },
    run: async ({ flags, on }) => (await import("./web/web.ts")).web(flags, on),
  },
  record: {
    summary: "Runs an agent, and records the messages in both directions",
    examples: [
      "sluice record run.jsonl -- 'Which files are here?'",
      "sluice record run.jsonl -- --mode acceptEdits 'Make the tests pass'",
      "sluice record --force chat.jsonl -- chat",
    ],
    arguments: {
      "<file>": "the recording: JSON lines, without secrets",
      "[arguments...]": "arguments of run, or chat and its arguments",
    },
    flags: {
      "--force": "replaces an existing file; put the flag before the file name",
    },
    async run({ again, flags, on, words: [file, given] }) {
      const rest = given[0] === "--" ? given.slice(1) : given;
      const isNamed = rest[0] === "run" || rest[0] === "chat";
      const isForced = flags.force === true;
      const record: Recording = { file, isForced, hasBegun: false };
      let code: number;
      try {
        code = await again(isNamed ? rest : ["run", ...rest], record);
      } finally {
        const begin = record.failure ? "its beginning is " : "";
        const text = `${begin}recorded in ${file}`;
        if (record.hasBegun) await on.note(on.err.dim(text));
      }
      if (record.failure && code === DONE) throw record.failure;
      return code;
    },
  },
  inspect: {
    summary: "Shows a recording, or a session of the CLI, as one HTML page",
    examples: [
      "sluice inspect run.jsonl",
      "sluice inspect run.jsonl -o - > run.html",
      "sluice inspect --serve run.jsonl",
    ],
    arguments: { "<file>": "a recording, or a session in ~/.claude/projects" },
    flags: {
      "-o, --output <file>":
        'path of the page, or "-" for stdout; default: FILE.html, such as run.jsonl.html',
      "--serve":
        "serves the page on this machine, and updates it when the file changes",
      "--port <port>": "port for --serve; default: a free port",
      "--json": "prints the data of the page as JSON",
    },
    run: async ({ flags, on, words }) =>
      (await import("./inspect.ts")).inspect(words[0], flags, on),
  },
  demo: {
    summary: "Shows an agent at work, without a login",
    examples: ["sluice demo", "sluice demo --live"],
    flags: {
      "--live": "uses the real model, with your own login",
      ...CLI_FLAGS,
    },
    run: async ({ flags, on }) => (await import("./demo.ts")).demo(flags, on),
  },
  worker: {
    summary: "Runs a fleet worker",
    examples: [
      "sluice worker --fleet reviews",
      "sluice worker --fleet reviews --server nats://10.0.0.5:4222 --concurrency 4",
    ],
    flags: {
      ...CLI_FLAGS,
      "--concurrency <count>": "maximum number of jobs at a time; default: 1",
      ...FLEET_FLAGS,
    },
    run: async ({ flags, on }) =>
      (await import("./worker.ts")).worker(flags, on),
  },
  jobs: {
    summary: "Shows the jobs of a fleet, or changes one",
    examples: [
      "sluice jobs list --fleet reviews --state running",
      "sluice jobs follow --fleet reviews ID",
      "sluice jobs approve --fleet reviews ID",
    ],
    arguments: {
      "<action>": "the action",
      "[id]": "id of the job; not for list",
    },
    flags: {
      "--reason <text>": "reason, for cancel and deny",
      "--name <name>": "with list: only jobs of this name",
      "--state <state>": "with list: only jobs in this state",
      ...FLEET_FLAGS,
    },
    run: async ({ flags, on, words: [action, id] }) =>
      (await import("./jobs.ts")).jobs(action, id, flags, on),
  },
};
