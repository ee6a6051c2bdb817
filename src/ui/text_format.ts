import { foldParts } from "./fold.ts";
import { endEvents, type Mapping, type PageEvent } from "./mapping.ts";

/** Maps a conversation to the pieces of its answer, without thinking and subagents; events beside them have names. */
export function textMapping(): Mapping<PageEvent> {
  const fold = foldParts();
  return {
    message: (message) =>
      fold.message(message).flatMap((part) =>
        part.type === "delta" && part.kind === "text" &&
          part.parent === undefined
          ? [{ data: part.delta }]
          : []
      ),
    approval: (data) => [{ name: "approval", data }],
    end: endEvents,
  };
}
