import type { Mapping, PageEvent } from "./mapping.ts";
import { messageMapping } from "./mapping.ts";
import { textMapping } from "./text_format.ts";

/** How a conversation is written as events. */
export type StreamFormat = "messages" | "text";

/** One format. */
export interface Format {
  /** Makes the mapping of one source. */
  mapping(): Mapping<PageEvent>;
  /** Further headers of a response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** All formats; the first is the default. */
export const FORMATS: Readonly<Record<StreamFormat, Format>> = {
  messages: { mapping: messageMapping, headers: {} },
  text: { mapping: textMapping, headers: {} },
};
