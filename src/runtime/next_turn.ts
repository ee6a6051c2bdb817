/** The runtime's own, captured when the package loads: a program may install fake timers afterwards. */
const { setImmediate } = globalThis;

/** Calls back in the next turn of the event loop. */
export function nextTurn(callback: () => void): void {
  setImmediate(callback);
}
