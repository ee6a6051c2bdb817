/** Keeps a promise that the user's code gave back from becoming an unhandled rejection: nobody waits for it. */
export function ignoreResult(result: unknown): void {
  if (typeof result === "object" && result !== null && "then" in result) {
    Promise.resolve(result).catch(() => {});
  }
}
