import type { ControlFields } from "../types/control.ts";
import type { JsonObject } from "../types/json.ts";

/** So many ids are remembered. */
const REMEMBERED_IDS = 1_000;

/** What tells one request from another with its id; of MCP messages what they carry, since one id may carry several in a row. */
interface Mark {
  readonly server?: unknown;
  readonly rpcId?: unknown;
  readonly method?: unknown;
  /** One more request with this id. */
  readonly before?: Mark | undefined;
}

/** All requests but MCP messages. */
const PLAIN: Mark = {};

/** Requests of the CLI that were answered: one that comes again is not run again. */
export class Answered {
  readonly #recent = new RecentIds<Mark>(REMEMBERED_IDS);
  /** What was looked up last, since it is mostly added next. */
  #id: string | undefined;
  #marks: Mark | undefined;

  /** Whether a request was answered. */
  has(id: string, request: ControlFields): boolean {
    this.#id = id;
    this.#marks = this.#recent.get(id);
    let mark = this.#marks;
    while (mark !== undefined && !isOf(mark, request)) mark = mark.before;
    return mark !== undefined;
  }

  /** Remembers one. */
  add(id: string, request: ControlFields): void {
    const before = id === this.#id ? this.#marks : this.#recent.get(id);
    const mark = marked(request, before);
    this.#recent.set(id, mark);
    if (id === this.#id) this.#marks = mark;
  }
}

function marked(request: ControlFields, before: Mark | undefined): Mark {
  const message = messageOf(request);
  if (message === undefined) return before === undefined ? PLAIN : { before };
  const { id: rpcId, method } = message;
  return { server: request.server_name, rpcId, method, before };
}

function isOf(
  { server, rpcId, method }: Mark,
  request: ControlFields,
): boolean {
  const message = messageOf(request);
  if (message === undefined) return server === undefined;
  return server === request.server_name && rpcId === message.id &&
    method === message.method;
}

function messageOf(
  { subtype, message }: ControlFields,
): JsonObject | undefined {
  if (subtype !== "mcp_message") return undefined;
  return typeof message === "object" && message !== null
    ? message as JsonObject
    : undefined;
}

/** Remembers something of at least the newest so many ids: two generations, since a `Map` that loses its oldest one by one is slow. */
export class RecentIds<T> {
  readonly #capacity: number;
  #young = new Map<string, T>();
  #old = new Map<string, T>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** What is remembered of an id. */
  get(id: string): T | undefined {
    return this.#young.get(id) ?? this.#old.get(id);
  }

  /** Remembers one; the oldest generation goes when the young one is full. */
  set(id: string, value: T): void {
    this.#young.set(id, value);
    if (this.#young.size < this.#capacity) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
