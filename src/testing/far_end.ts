import { Deferred } from "../async/deferred.ts";
import type {
  Channel,
  ExitReport,
  Launch,
  StopPlan,
} from "../ports/transport.ts";
import type { JsonObject } from "../types/json.ts";
import { FarLine } from "./far_line.ts";
import type {
  FarEnd,
  FarItem,
  FarWaitOptions,
  MemoryTransportOptions,
} from "./memory_transport.ts";
import { parseLine, splitLines } from "./wire_lines.ts";

const encoder = new TextEncoder();

/** The far end: what was written to it, and who it speaks to. */
export class Far implements FarEnd {
  readonly lines: JsonObject[] = [];
  readonly stops: StopPlan[] = [];
  readonly #watchers = new Set<() => void>();
  #launch: Launch | undefined;
  #line: FarLine | undefined;
  #gate: Deferred<void> | undefined;
  #hasInputEnded = false;
  readonly #options: MemoryTransportOptions;

  constructor(options: MemoryTransportOptions) {
    this.#options = options;
  }

  get launch(): Launch | undefined {
    return this.#launch;
  }

  get hasInputEnded(): boolean {
    return this.#hasInputEnded;
  }

  /** Opens a fresh channel; the far end speaks to the newest one. */
  open(launch: Launch): Channel {
    const line = new FarLine();
    this.#launch = launch;
    this.#line = line;
    this.#hasInputEnded = false;
    this.#stir();
    return {
      readable: line.readable,
      exited: line.exited.promise,
      write: async (text) => {
        await this.#gate?.promise;
        if (line.exited.isSettled) {
          throw new Error("Cannot write: the other end is gone");
        }
        for (const one of splitLines(text).map(parseLine)) {
          this.lines.push(one);
          this.#respond(line, one);
        }
        this.#stir();
      },
      end: async () => {
        await this.#gate?.promise;
        this.#hasInputEnded = true;
        this.#stir();
        if (!this.#options.staysOpen) line.end({});
      },
      stop: async (plan) => {
        this.stops.push(plan);
        this.#gate?.resolve();
        line.end({ reason: plan.reason });
        await line.exited.promise;
      },
    };
  }

  async line(
    fits: (line: JsonObject) => boolean,
    { timeoutMs = 10_000 }: FarWaitOptions = {},
  ): Promise<JsonObject> {
    const found = new Deferred<JsonObject>();
    const look = () => {
      const line = this.lines.find(fits);
      if (line !== undefined) found.resolve(line);
    };
    const timer = setTimeout(() => {
      const got = JSON.stringify(this.lines).slice(-2_000);
      found.reject(
        new Error(
          `Far end did not get what was waited for within ${timeoutMs} ms: ${got}`,
        ),
      );
    }, timeoutMs);
    this.#watchers.add(look);
    look();
    try {
      return await found.promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(look);
    }
  }

  async send(...items: readonly FarItem[]): Promise<void> {
    const line = this.#opened();
    await Promise.all(items.map((item) => line.put(toBytes(item))));
  }

  reply(
    { request_id }: JsonObject,
    response: JsonObject,
  ): Promise<void> {
    return this.send({
      type: "control_response",
      response: { subtype: "success", request_id, response },
    });
  }

  async inputEnded(): Promise<void> {
    const ended = new Deferred<void>();
    const look = () => {
      if (this.#hasInputEnded) ended.resolve();
    };
    this.#watchers.add(look);
    look();
    await ended.promise;
    this.#watchers.delete(look);
  }

  end(exit: Partial<ExitReport> = {}): void {
    this.#opened().end(exit);
  }

  fail(error: unknown): void {
    this.#opened().fail(error);
  }

  pause(): void {
    this.#gate ??= new Deferred();
  }

  resume(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  #respond(line: FarLine, message: JsonObject): void {
    const items = this.#options.respond?.(message);
    if (items === undefined) return;
    for (const item of isList(items) ? items : [items]) {
      void line.put(toBytes(item));
    }
  }

  #opened(): FarLine {
    if (this.#line === undefined) {
      throw new Error(
        "Far end has nobody to speak to: the transport is not open",
      );
    }
    return this.#line;
  }

  #stir(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }
}

function isList(
  items: FarItem | readonly FarItem[],
): items is readonly FarItem[] {
  return Array.isArray(items);
}

function toBytes(item: FarItem): Uint8Array {
  if (item instanceof Uint8Array) return item;
  return encoder.encode(
    typeof item === "string" ? item : `${JSON.stringify(item)}\n`,
  );
}
