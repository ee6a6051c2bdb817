import type { ControlContext, ControlFields } from "../types/controls.ts";

/** One request that is being served; its signal is made when somebody looks at it. */
export class Served implements ControlContext {
  readonly requestId: string;
  readonly request: ControlFields;
  /** 0 until somebody wants to know. */
  startedMs: number;
  #controller: AbortController | undefined;
  #reason: unknown;

  constructor(requestId: string, request: ControlFields, startedMs: number) {
    this.requestId = requestId;
    this.request = request;
    this.startedMs = startedMs;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#reason !== undefined) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** Takes it back; without a reason as an `AbortController` does. */
  abort(
    reason: unknown = new DOMException(
      "This operation was aborted",
      "AbortError",
    ),
  ): void {
    this.#reason = reason;
    this.#controller?.abort(reason);
  }
}
