/** Input is still arriving until nothing has come for this long, in milliseconds: a paste over a slow line has gaps of its own. */
export const QUIET_MS = 200;

/**
 * Resolves once the input is quiet.
 *
 * @param listen Gets the function to call for each input
 */
export function untilQuiet(
  listen: (heard: () => void) => void,
  quietMs: number = QUIET_MS,
): Promise<void> {
  return new Promise((resolve) => {
    let timer = setTimeout(resolve, quietMs);
    listen(() => {
      clearTimeout(timer);
      timer = setTimeout(resolve, quietMs);
    });
  });
}
