/** The member of `process` in use: Node, Bun and Deno all have it. */
interface Emitter {
  readonly emitWarning?: (
    text: string,
    options: { readonly code: string },
  ) => void;
}

/** Tells of something as a warning of the process: on stderr, unless the program listens or was started with `--no-warnings`. */
export function warnProcess(text: string, code: string): void {
  const { process } = globalThis as { readonly process?: Emitter };
  process?.emitWarning?.(text, { code });
}
