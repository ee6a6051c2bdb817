import { agUiMapping } from "./ag_ui.ts";
import type { AgUiRunIds } from "./ag_ui_run.ts";
import { aiSdkMapping } from "./ai_sdk.ts";
import type { AgUiEvent } from "./ag_ui_types.ts";
import type { AiSdkChunk } from "./ai_sdk_types.ts";
import {
  mapped,
  type Mapping,
  messageMapping,
  type PageEvent,
} from "./mapping.ts";
import { textMapping } from "./text_format.ts";

/** How a conversation is written as events. */
export type StreamFormat = "messages" | "text" | "ai-sdk" | "ag-ui";

export interface Format {
  /** Makes the mapping of one source. */
  mapping(run: AgUiRunIds): Mapping<PageEvent>;
  /** Further headers of a response. */
  readonly headers: Readonly<Record<string, string>>;
  /** Events in place of a stream whose beginning is gone; absent where readers can do without. */
  withoutBeginning?(run: AgUiRunIds): readonly PageEvent[];
}

const GONE = "The beginning of this answer is no longer available";

export const FORMATS: Readonly<Record<StreamFormat, Format>> = {
  messages: { mapping: messageMapping, headers: {} },
  text: { mapping: textMapping, headers: {} },
  "ai-sdk": {
    mapping: aiSdkEvents,
    headers: { "x-vercel-ai-ui-message-stream": "v1" },
    withoutBeginning: () => [
      { data: { type: "error", errorText: GONE } satisfies AiSdkChunk },
      ...DONE,
    ],
  },
  "ag-ui": {
    mapping: (run) => mapped(agUiMapping(run), eventOf),
    headers: {},
    withoutBeginning: ({ threadId = "", runId = "" }) =>
      ([
        { type: "RUN_STARTED", threadId, runId, protocolVersion: "1.0" },
        { type: "RUN_ERROR", message: GONE, code: "reset" },
      ] satisfies AgUiEvent[]).map((data) => ({ data })),
  },
};

/** Ends a stream of the AI SDK. */
const DONE: readonly PageEvent[] = [{ raw: "[DONE]" }];

function aiSdkEvents(): Mapping<PageEvent> {
  const events = mapped(aiSdkMapping(), eventOf);
  return { ...events, end: (failure) => [...events.end(failure), ...DONE] };
}

function eventOf(data: unknown): readonly PageEvent[] {
  return [{ data }];
}
