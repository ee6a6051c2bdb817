import type { CommandShape, FlagShape, Shell } from "./tree.ts";

/** What a shell reads to complete the program. */
export function completion(shell: Shell, root: CommandShape): string {
  return SCRIPTS[shell](root);
}

const SCRIPTS: Readonly<Record<Shell, (root: CommandShape) => string>> = {
  bash,
  zsh,
  fish,
};

/** What may stand behind a command, flags first. */
function wordsOf({ flags, words }: CommandShape): readonly string[] {
  return [...flags.map(({ long }) => long), ...words];
}

function bash({ commands, flags }: CommandShape): string {
  const cases = commands.map((one) =>
    `    ${one.name}) words="${wordsOf(one).join(" ")}" ;;`
  );
  const values = unique(commands.flatMap((one) => one.flags))
    .filter(({ choices }) => choices.length > 0)
    .map(({ long, choices }) =>
      `    ${long}) COMPREPLY=($(compgen -W "${
        choices.join(" ")
      }" -- "$cur")); return ;;`
    );
  const names = commands.map(({ name }) => name).join(" ");
  return `# source <(sluice completion bash)
_sluice() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words
  COMPREPLY=()
  case "$prev" in
${values.join("\n")}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    *) words="${names} ${flags.map(({ long }) => long).join(" ")}" ;;
  esac
  if ((COMP_CWORD == 1)); then
    words="${names} ${flags.map(({ long }) => long).join(" ")}"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _sluice sluice
`;
}

function zsh({ commands, flags }: CommandShape): string {
  const cases = commands.map((one) => {
    const rest = one.words.length > 0
      ? `"1:word:(${one.words.join(" ")})"`
      : one.takesFiles
      ? '"1:file:_files"'
      : "";
    const specs = [...one.flags.map(zshFlag), rest].filter(Boolean);
    return `    ${one.name}) _arguments ${specs.join(" ")} ;;`;
  });
  const names = commands.map(({ name, summary }) =>
    quoted(`${name}:${summary.replaceAll(":", "\\:")}`)
  );
  return `#compdef sluice
_sluice() {
  local -a commands=(${names.join(" ")})
  if ((CURRENT == 2)); then
    _describe command commands
    _arguments ${flags.map(zshFlag).join(" ")}
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

function zshFlag({ choices, long, summary, takesValue }: FlagShape): string {
  const text = summary.replaceAll(/[[\]:]/g, (one) => `\\${one}`);
  const value = choices.length > 0
    ? `:value:(${choices.join(" ")})`
    : takesValue
    ? ":value:_files"
    : "";
  return quoted(`${long}[${text}]${value}`);
}

function fish({ commands, flags }: CommandShape): string {
  const none = "__fish_use_subcommand";
  const lines = [
    "# sluice completion fish > ~/.config/fish/completions/sluice.fish",
    ...commands.map(({ name, summary }) =>
      `complete -c sluice -n ${none} -f -a ${name} -d ${quoted(summary)}`
    ),
    ...flags.map((flag) => `complete -c sluice -n ${none} ${fishFlag(flag)}`),
    ...commands.flatMap((one) => {
      const when = `-n '__fish_seen_subcommand_from ${one.name}'`;
      return [
        ...one.flags.map((flag) =>
          `complete -c sluice ${when} ${fishFlag(flag)}`
        ),
        ...one.words.map((word) => `complete -c sluice ${when} -f -a ${word}`),
      ];
    }),
  ];
  return `${lines.join("\n")}\n`;
}

function fishFlag(
  { choices, long, short, summary, takesValue }: FlagShape,
): string {
  return [
    `-l ${long.slice(2)}`,
    ...short === undefined ? [] : [`-s ${short.slice(1)}`],
    ...choices.length > 0 ? [`-x -a ${quoted(choices.join(" "))}`] : [],
    ...choices.length === 0 && takesValue ? ["-r"] : [],
    `-d ${quoted(summary)}`,
  ].join(" ");
}

function unique(flags: readonly FlagShape[]): readonly FlagShape[] {
  return [...new Map(flags.map((flag) => [flag.long, flag])).values()];
}

/** As one word of a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
