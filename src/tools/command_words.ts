/** Words of command lines, each list the source of a regular expression. No list is complete. */

/** Shells: their scripts consist of commands. */
export const SHELLS = "(?:r?ba|da|a|z|k|mk|c|tc|fi|r|hu)?sh|pwsh|powershell";

/** Words behind which another command stands: keywords, builtins and programs, among them all that the CLI looks behind (2.1.330). */
export const WRAPPERS: string = [
  "!|if|then|elif|else|do|while|until|time|coproc",
  "alias|builtin|command|eval|exec|noglob|source|trap",
  "doas|pkexec|runuser|su|sudo",
  "busybox|chroot|flock|nsenter|sandbox-exec|setsid|toybox|unshare",
  "chrt|ionice|nice|taskset|g?timeout",
  "env|ltrace|nohup|parallel|script|ssh|stdbuf|strace|watch|wsl|xargs",
].join("|");
