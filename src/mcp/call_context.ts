import { isObject } from "../errors/is_object.ts";
import type { McpDirectCall } from "../ports/mcp.ts";
import type { JsonObject } from "../types/json.ts";
import type { ToolContext } from "../types/mcp.ts";

/** Where the CLI says which tool call of the model it is. */
const TOOL_USE_ID = "claudecode/toolUseId";

/** What a tool is told beside its arguments; every member may be taken out of it by destructuring. */
export class CallContext implements ToolContext {
  readonly #params: JsonObject;
  readonly #call: McpDirectCall;

  constructor(params: JsonObject, call: McpDirectCall) {
    this.#params = params;
    this.#call = call;
  }

  /** Aborted when the call ends before its answer. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** Id of the tool call. */
  get toolUseId(): string | undefined {
    const meta = this.#params._meta;
    const id = isObject(meta) ? meta[TOOL_USE_ID] : undefined;
    return typeof id === "string" ? id : undefined;
  }

  /** Reports progress. */
  get progress(): (done: number, total?: number, message?: string) => void {
    const call = this.#call;
    return (done, total, message) =>
      call.onProgress({
        progress: done,
        ...(total === undefined ? {} : { total }),
        ...(message === undefined ? {} : { message }),
      });
  }
}
