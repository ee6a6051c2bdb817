/** Work of one kind that is under way, by whose it is and what it is about. */
export type Underway<T> = WeakMap<object, Map<string, Promise<T>>>;

/** Does work once for all who ask for the same before it is done. */
export function shared<T>(
  underway: Underway<T>,
  owner: object,
  key: string,
  work: () => Promise<T>,
): Promise<T> {
  let own = underway.get(owner);
  if (own === undefined) underway.set(owner, own = new Map());
  let running = own.get(key);
  if (running === undefined) {
    running = work().finally(() => own.delete(key));
    own.set(key, running);
  }
  return running;
}
