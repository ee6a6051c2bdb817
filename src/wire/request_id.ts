/** Makes unique request ids: `req_{counter}_{unix seconds}_{8 hex digits}`. */
export function requestIds(now: () => number): () => string {
  let counter = 0;
  return () => `req_${++counter}_${Math.floor(now() / 1_000)}_${randomHex()}`;
}

function randomHex(): string {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word.toString(16).padStart(8, "0");
}

const ID = /^req_([1-9]\d*)_(\d+)_[0-9a-f]{8}$/;

/** Reads number and time, in seconds since 1970, from a request id; throws `RangeError` if it is malformed. */
export function parseRequestId(
  id: string,
): { readonly counter: number; readonly seconds: number } {
  const [, counter, seconds] = ID.exec(id) ?? [];
  if (counter === undefined || seconds === undefined) {
    throw new RangeError(`Request id is malformed: "${id}"`);
  }
  return { counter: Number(counter), seconds: Number(seconds) };
}
