import type { PermissionContext, Terminal } from "@sluice/agent";

/** A person that says these lines, and what is shown to him. */
export function person(
  ...lines: readonly (string | undefined)[]
): { readonly shown: string[]; readonly terminal: Terminal } {
  const shown: string[] = [];
  let at = 0;
  return {
    shown,
    terminal: {
      isPerson: true,
      ask(text: string, signal: AbortSignal) {
        shown.push(text);
        if (at < lines.length) return Promise.resolve(lines[at++]);
        return new Promise<never>((_resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason));
        });
      },
    },
  };
}

/** The context of a question. */
export function about(
  fields: Partial<PermissionContext> = {},
): PermissionContext {
  return {
    signal: new AbortController().signal,
    requestId: "r1",
    caughtUp: Promise.resolve(),
    raw: {},
    ...fields,
  };
}
