/** What is still to come of the answer to a request. */
export interface Rest {
  /** The id that the request travels under. */
  readonly id: number;
  /** The last event of it that came. */
  readonly token: string;
}

/** One request, its answer, and what may end them. */
export class Exchange {
  /** The id that the JSON-RPC request it is for travels under. */
  readonly id: number | undefined;
  /** The event that it asks for what follows of. */
  readonly token: string | undefined;
  readonly #controller = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isUnwanted = false;

  constructor(body: RequestInit["body"], rest?: Rest) {
    this.id = rest?.id ?? requestId(body);
    this.token = rest?.token;
  }

  /** Ends with it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends it. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
    // An answer that is being read may outlive the signal of its request.
    this.#reader?.cancel(reason).catch(() => {});
  }

  /**
   * Hands the body on until it ends.
   *
   * @param onEnd Hears of the end; true lets whoever reads on wait for ever, so that nothing is asked for again
   */
  read(
    body: ReadableStream<Uint8Array>,
    onEnd: (cause?: unknown) => Promise<boolean>,
  ): ReadableStream<Uint8Array> {
    const reader = this.#reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          if (!await this.#mayWait(onEnd())) controller.close();
        } catch (error) {
          if (!await this.#mayWait(onEnd(error))) controller.error(error);
        }
      },
      cancel: async (reason) => {
        void onEnd(reason);
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** Nobody wants the answer any more: its end is not told, or the transport would ask for the rest. */
  giveUp(): void {
    this.#isUnwanted = true;
  }

  /** Whether who reads on waits for ever. */
  async #mayWait(isLost: Promise<boolean>): Promise<boolean> {
    return await isLost || this.#isUnwanted;
  }

  /** Ends what was given up. */
  drop(): void {
    this.#reader?.cancel().catch(() => {});
  }
}

/** The id of a request of ours; answers to the server's requests carry ids of its own. */
function requestId(body: unknown): number | undefined {
  if (typeof body !== "string" || !body.startsWith('{"method":')) return;
  // The client puts it last.
  const id = /"id":(\d+)\}$/.exec(body.slice(-32))?.[1];
  return id === undefined ? undefined : Number(id);
}

/** The request that a notification takes back. */
export function cancelledId(body: unknown): number | undefined {
  const start = '{"jsonrpc":"2.0","method":"notifications/cancelled"';
  if (typeof body !== "string" || !body.startsWith(start)) return;
  const { params } = JSON.parse(body) as { params?: { requestId?: unknown } };
  const id = params?.requestId;
  return typeof id === "number" ? id : undefined;
}
