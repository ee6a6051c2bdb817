import { isObject } from "../errors/is_object.ts";
import type { ControlFields } from "../types/control.ts";

/** So many requests are remembered at least, and twice as many at most. */
const REMEMBERED = 1_000;

/**
 * Requests of the CLI that came: one that comes again is not run again.
 *
 * What tells one request from another is its id; of MCP messages also what they carry, since one id may carry several
 * in a row.
 */
export class SeenRequests {
  readonly #capacity: number;
  #young = new Set<string>();
  #old: ReadonlySet<string> = new Set();

  constructor(capacity: number = REMEMBERED) {
    this.#capacity = capacity;
  }

  /** Remembers a request; false when it was remembered already. The oldest generation goes when the young one is full. */
  add(id: string, request: ControlFields): boolean {
    const key = request.subtype === "mcp_message" ? mcpKey(id, request) : id;
    if (this.#young.has(key) || this.#old.has(key)) return false;
    this.#young.add(key);
    if (this.#young.size >= this.#capacity) {
      this.#old = this.#young;
      this.#young = new Set();
    }
    return true;
  }
}

function mcpKey(
  requestId: string,
  { server_name: server, message }: ControlFields,
): string {
  const { id, method } = isObject(message) ? message : {};
  // A number is another id than its digits as a text.
  return `${requestId}\0${server}\0${typeof id}\0${id}\0${method}`;
}
