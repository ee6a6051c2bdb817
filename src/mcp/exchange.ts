/** One request, its answer, and what may end them. */
export class Exchange {
  /** The id that the JSON-RPC request in it travels under. */
  readonly id: number | undefined;
  readonly #controller = new AbortController();
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isDropped = false;

  constructor(body: RequestInit["body"]) {
    this.id = requestId(body);
  }

  /** Ends with it. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends it. */
  abort(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** Hands the body on until it ends. */
  read(
    body: ReadableStream<Uint8Array>,
    onEnd: (cause?: unknown) => void,
  ): ReadableStream<Uint8Array> {
    const reader = this.#reader = body.getReader();
    return new ReadableStream({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          // Whoever reads on waits for ever, and asks for nothing again.
          if (this.#isDropped) return;
          controller.close();
          onEnd();
        } catch (error) {
          controller.error(error);
          onEnd(error);
        }
      },
      cancel: async (reason) => {
        onEnd(reason);
        await reader.cancel(reason);
      },
    }, { highWaterMark: 0 });
  }

  /** Nobody wants the answer any more. */
  drop(): void {
    this.#isDropped = true;
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
