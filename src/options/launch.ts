/** Flags of every conversation, those of ./compat included. Source: protocol reference, section Spawn. */
export const STREAMING_FLAGS: readonly string[] = [
  "--output-format",
  "stream-json",
  "--verbose",
  "--input-format",
  "stream-json",
];

/** The variable by which the CLI knows what kind of program started it. */
export const ENTRYPOINT_VARIABLE = "CLAUDE_CODE_ENTRYPOINT";
