/** The parts of a request id of ours. */
export interface RequestIdParts {
  /** Counts the requests of one conversation, from 1. */
  readonly counter: number;
  /** When it was made, in seconds since 1970. */
  readonly seconds: number;
}

const FORM = /^req_([1-9]\d*)_(\d+)_[0-9a-f]{8}$/;

/** Makes request ids: `req_{counter}_{unix seconds}_{8 hex digits}`. */
export class RequestIds {
  readonly #now: () => number;
  #counter = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** The next id; none is given twice. */
  next(): string {
    const seconds = Math.floor(this.#now() / 1000);
    return `req_${++this.#counter}_${seconds}_${randomHex()}`;
  }
}

/** Takes a request id of ours apart; throws `RangeError` for anything else. */
export function parseRequestId(id: string): RequestIdParts {
  const [, counter, seconds] = FORM.exec(id) ?? [];
  if (counter === undefined || seconds === undefined) {
    throw new RangeError(`Request id is malformed: "${id}"`);
  }
  return { counter: Number(counter), seconds: Number(seconds) };
}

function randomHex(): string {
  const [word = 0] = crypto.getRandomValues(new Uint32Array(1));
  return word.toString(16).padStart(8, "0");
}
