import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import process from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { baseEnvironment, commandLine } from "./_program.ts";

/** Why tests at a terminal are left out here. */
export const needsTmux: string | undefined =
  spawnSync("tmux", ["-V"]).status === 0 ? undefined : "needs tmux";

/** A terminal in which the program runs. */
export interface Screen {
  /** Types keys as tmux names them: text, `Enter`, `C-c`, ... */
  press(...keys: readonly string[]): void;
  /** Pastes a text, marked as pasted where the program asked for that. */
  paste(text: string): void;
  /** Gives the terminal another size. */
  resize(columns: number, rows: number): void;
  /** Clears the screen, as another program may, and sends SIGCONT to the running one. */
  wipeAndContinue(): void;
  /** Sends a signal to the program. */
  signal(name: NodeJS.Signals): void;
  /** Takes the terminal away. */
  hangUp(): void;
  /** Waits until the screen shows what fits, and gives all of it. */
  shows(pattern: RegExp): Promise<string>;
  /** Text in sight, without what has scrolled away. */
  inSight(): string;
  /** The modes of the terminal, as stty(1) tells them. */
  modes(): string;
}

/** Runs the program in a terminal of its own; the exit code is shown at its end as `EXIT n`. */
export async function atTerminal(
  args: readonly string[],
  {
    beside,
    columns = 100,
    cwd,
    env,
    errors,
    errorsElsewhere = false,
    exitFile,
    input,
    locale = "C.UTF-8",
    printed = "",
    shell,
    signal,
  }: {
    /** Arguments of the program a second time, in the background of the same job. */
    readonly beside?: readonly string[];
    readonly columns?: number;
    /** Whether stderr is another terminal. */
    readonly errorsElsewhere?: boolean;
    /** File that gets stderr, in place of the screen. */
    readonly errors?: string;
    /** File that gets the exit code, also when the terminal is gone. */
    readonly exitFile?: string;
    /** Locale of the program. */
    readonly locale?: string;
    /** Text that another program printed before, as printf(1) takes it. */
    readonly printed?: string;
    /** Input by a pipe instead of the keyboard. */
    readonly input?: string;
    /** Command line of a shell, which runs in place of the program. */
    readonly shell?: string;
    readonly cwd: string;
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal;
  },
  use: (screen: Screen) => Promise<void>,
): Promise<void> {
  // A server of its own: what others have open is theirs.
  const server = `sluice-${randomUUID()}`;
  const tmux = (...words: readonly string[]) => tmuxWith("", ...words);
  const tmuxWith = (stdin: string, ...words: readonly string[]) =>
    spawnSync("tmux", ["-L", server, "-f", "/dev/null", ...words], {
      encoding: "utf8",
      input: stdin,
      env: { PATH: process.env["PATH"] ?? "", HOME: cwd, LANG: "C.UTF-8" },
    });
  const variables = Object.entries({
    ...baseEnvironment(),
    LANG: locale,
    ...env,
  }).map(([name, value]) => quoted(`${name}=${value}`));
  const environment = `env ${variables.join(" ")}`;
  const commandOf = (words: readonly string[]) =>
    `${environment} ${commandLine(...words).map(quoted).join(" ")}`;
  const pipe = input === undefined ? "" : `printf %s ${quoted(input)} | `;
  if (errorsElsewhere) {
    tmux("new-session", "-d", "-x", `${columns}`, "-y", "50", "-c", cwd, "cat");
    errors = tmux("display-message", "-p", "#{pane_tty}").stdout.trim();
  }
  const before = (printed === "" ? "" : `printf ${quoted(printed)}; `) +
    (beside === undefined ? "" : `${commandOf(beside)} & `);
  const run = `${before}${pipe}${commandOf(args)}${
    errors === undefined ? "" : ` 2>${quoted(errors)}`
  }`;
  const line = shell !== undefined
    ? `${environment} ${shell}`
    : exitFile === undefined
    ? `${run}; echo EXIT $?; cat`
    : `trap "" HUP; ${run}; echo $? >${quoted(exitFile)}`;
  if (errorsElsewhere) tmux("new-window", "-c", cwd, line);
  else {
    tmux("new-session", "-d", "-x", `${columns}`, "-y", "50", "-c", cwd, line);
  }
  try {
    await use({
      press(...keys) {
        tmux("send-keys", ...keys);
      },
      paste(text) {
        tmuxWith(text, "load-buffer", "-");
        tmux("paste-buffer", "-p");
      },
      resize(columns, rows) {
        tmux("resize-window", "-x", `${columns}`, "-y", `${rows}`);
      },
      wipeAndContinue() {
        tmux("send-keys", "-R");
        tmux("clear-history");
        const group = tmux("display-message", "-p", "#{pane_pid}").stdout;
        process.kill(-Number(group), "SIGCONT");
      },
      signal(name) {
        const shell = tmux("display-message", "-p", "#{pane_pid}").stdout
          .trim();
        const children = `/proc/${shell}/task/${shell}/children`;
        process.kill(Number.parseInt(readFileSync(children, "utf8")), name);
      },
      hangUp() {
        tmux("kill-server");
      },
      inSight: () => tmux("capture-pane", "-p", "-J").stdout,
      modes: () => {
        const tty = tmux("display-message", "-p", "#{pane_tty}").stdout.trim();
        return spawnSync("stty", ["-F", tty, "-a"], { encoding: "utf8" })
          .stdout;
      },
      async shows(pattern) {
        // Each look is a process: a screen that shows nothing new is looked at less often.
        for (let ms = 20;; ms = Math.min(ms * 1.25, 250)) {
          const text = tmux("capture-pane", "-p", "-J", "-S", "-200").stdout;
          if (pattern.test(text)) return text;
          if (signal.aborted) {
            throw new Error(`Never showed ${pattern}: ${text}`);
          }
          await sleep(ms);
        }
      },
    });
  } finally {
    tmux("kill-server");
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
