/** Lets everything that needs no clock continue: one turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

/** Whether a promise is settled, after everything that can continue has done so. */
export async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const settle = () => {
    settled = true;
  };
  promise.then(settle, settle);
  await nextTurn();
  return settled;
}
