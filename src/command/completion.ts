import type { Command, Option } from "commander";

/** A shell that is completed. */
export type Shell = "bash" | "zsh" | "fish";

/** What each shell reads to complete the program. */
export const COMPLETIONS: Readonly<Record<Shell, (root: Command) => string>> = {
  bash,
  zsh,
  fish,
};

function bash(root: Command): string {
  const { commands } = root;
  const cases = commands.map((one) =>
    `    ${one.name()}) words="${
      namesOf(one).concat(wordsOf(one)).join(" ")
    }" ;;`
  );
  const flags = commands.flatMap(flagsOf);
  const choices = new Map(
    flags.map(({ long, argChoices }) => [long, argChoices?.join(" ")]),
  );
  const values = [...choices].flatMap(([long, words]) =>
    words === undefined
      ? []
      : `    ${long}) COMPREPLY=($(compgen -W "${words}" -- "$cur")); return ;;`
  );
  const words = [...commands.map((one) => one.name()), ...namesOf(root)];
  return `# source <(sluice completion bash)
_sluice() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words
  COMPREPLY=()
  case "$prev" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${words.join(" ")}" ;;
  esac
  if ((COMP_CWORD == 1)); then
    words="${words.join(" ")}"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _sluice sluice
`;
}

function zsh(root: Command): string {
  const { commands } = root;
  const cases = commands.map((one) => {
    const words = wordsOf(one);
    const rest = words.length > 0
      ? `"1:word:(${words.join(" ")})"`
      : one.registeredArguments[0]?.name() === "file"
      ? '"1:file:_files"'
      : "";
    const specs = [...flagsOf(one).map(zshFlag), rest].filter(Boolean);
    return `    ${one.name()}) _arguments ${specs.join(" ")} ;;`;
  });
  const names = commands.map((one) =>
    quoted(`${one.name()}:${one.summary().replaceAll(":", "\\:")}`)
  );
  return `#compdef sluice
_sluice() {
  local -a commands=(${names.join(" ")})
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments ${flagsOf(root).map(zshFlag).join(" ")}
    return
  fi
  shift words
  ((CURRENT--))
  case "$words[1]" in
${cases.join("\n")}
  esac
}
if [ "$funcstack[1]" = _sluice ]; then _sluice "$@"; else compdef _sluice sluice; fi
`;
}

function zshFlag(
  { argChoices, description, long, required }: Option,
): string {
  const text = description.replaceAll(/[[\]:]/g, (one) => `\\${one}`);
  const value = argChoices !== undefined
    ? `:value:(${argChoices.join(" ")})`
    : required
    ? ":value:_files"
    : "";
  return quoted(`${long}[${text}]${value}`);
}

function fish(root: Command): string {
  const begin = "complete -c sluice -n";
  const none = `${begin} __fish_use_subcommand`;
  const lines = [
    "# sluice completion fish > ~/.config/fish/completions/sluice.fish",
    ...root.commands.map((one) =>
      `${none} -f -a ${one.name()} -d ${quoted(one.summary())}`
    ),
    ...flagsOf(root).map((flag) => `${none} ${fishFlag(flag)}`),
    ...root.commands.flatMap((one) => {
      const behind = `${begin} '__fish_seen_subcommand_from ${one.name()}'`;
      return [
        ...flagsOf(one).map((flag) => `${behind} ${fishFlag(flag)}`),
        ...wordsOf(one).map((word) => `${behind} -f -a ${word}`),
      ];
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function fishFlag(
  { argChoices, description, long, required, short }: Option,
): string {
  return [
    `-l ${long?.slice(2)}`,
    ...short === undefined ? [] : [`-s ${short.slice(1)}`],
    ...argChoices !== undefined
      ? [`-x -a ${quoted(argChoices.join(" "))}`]
      : required
      ? ["-r"]
      : [],
    `-d ${quoted(description)}`,
  ].join(" ");
}

/** With the one for help, which is none of the command's own. */
function flagsOf(command: Command): readonly Option[] {
  return command.createHelp().visibleOptions(command);
}

function namesOf(command: Command): readonly string[] {
  return flagsOf(command).map(({ long = "" }) => long);
}

/** What may stand for the first argument. */
function wordsOf(command: Command): readonly string[] {
  return command.registeredArguments[0]?.argChoices ?? [];
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
