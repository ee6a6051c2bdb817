/** Words of command lines, each list the source of a regular expression. */

/** Shells: their scripts consist of commands. */
export const SHELLS = "(?:r?ba|da|a|z|k|c|tc|fi)?sh|pwsh|powershell";

/** Programs and builtins that run another command. */
export const WRAPPERS =
  "sudo|doas|su|runuser|env|xargs|parallel|ssh|eval|exec|source|command|builtin|busybox|nohup|setsid|time|timeout|nice|ionice|stdbuf|chroot|unshare|nsenter|script|watch";

/** Words after which another command may begin: keywords, programs, options. */
export const LEADING =
  "!|if|then|elif|else|do|while|until|time|coproc|alias|command|builtin|eval|exec|env|nice|nohup|sudo|doas|timeout|xargs|sh|bash|zsh|-exec|-execdir|-ok|-okdir";
