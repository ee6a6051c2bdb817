import type { ControlFields } from "../types/controls.ts";
import type { JsonObject } from "../types/json.ts";

/** So many requests are remembered at least, and twice as many at most. */
const REMEMBERED = 1_000;
/** Twice as many and more, so that finding one takes about one step; a power of two. */
const SLOTS = 2_048;

/**
 * Requests of the CLI that came: one that comes again is not run again.
 *
 * What tells one request from another is its id; of MCP messages also what they carry, since one id may carry several
 * in a row. Kept are fingerprints of 63 bits in plain memory: a table of texts costs a tenth of a permission in Bun.
 */
export class SeenRequests {
  readonly #capacity: number;
  /** Pairs of numbers; two zeros are an empty slot. */
  #young: Int32Array | undefined;
  #old: Int32Array | undefined;
  #size = 0;
  /** The fingerprint of the request that is looked at. */
  #high = 0;
  #low = 0;

  constructor(capacity: number = REMEMBERED) {
    this.#capacity = capacity;
  }

  /** Remembers a request; false when it was remembered already. The oldest generation goes when the young one is full. */
  add(id: string, request: ControlFields): boolean {
    this.#high = this.#low = 0;
    this.#mix(id);
    if (request.subtype === "mcp_message") this.#lookInto(request);
    const high = this.#high;
    const low = this.#low;
    const old = this.#old;
    if (old !== undefined && old[find(old, high, low) + 1] !== 0) return false;
    const young = this.#young ??= new Int32Array(2 * SLOTS);
    const at = find(young, high, low);
    if (young[at + 1] !== 0) return false;
    young[at] = high;
    young[at + 1] = low;
    if (++this.#size >= this.#capacity) this.#turn();
    return true;
  }

  #turn(): void {
    const oldest = this.#old;
    this.#old = this.#young;
    this.#young = oldest?.fill(0);
    this.#size = 0;
  }

  #lookInto({ server_name: server, message }: ControlFields): void {
    this.#mix(String(server));
    if (typeof message !== "object" || message === null) return;
    const { id, method } = message as JsonObject;
    // A number is another id than its digits as a text.
    if (typeof id === "number") {
      this.#high = Math.imul(this.#high ^ id, 0x27d4eb2f);
    } else this.#mix(String(id));
    this.#mix(String(method));
  }

  /** Two hashes in one walk, whose halves are mixed into each other at the end. */
  #mix(text: string): void {
    let high = this.#high ^ 0x243f6a88;
    let low = this.#low ^ 0x13198a2e;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul(low ^ code, 0x5f356495);
    }
    this.#high = Math.imul(high ^ high >>> 16, 0x85ebca6b) ^ low >>> 13;
    // Never two zeros.
    this.#low = Math.imul(low ^ low >>> 15, 0xc2b2ae35) ^ high >>> 16 | 1;
  }
}

/** Where a pair is, or the empty slot where it belongs. */
function find(slots: Int32Array, high: number, low: number): number {
  // The lowest bit is always set.
  let at = low & 2 * SLOTS - 2;
  while (slots[at + 1] !== 0) {
    if (slots[at] === high && slots[at + 1] === low) break;
    at = at + 2 & 2 * SLOTS - 2;
  }
  return at;
}
