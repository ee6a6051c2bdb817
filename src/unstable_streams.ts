/**
 * The stages of the pipeline as `TransformStream`s over batches: bytes to lines to JSON values.
 *
 * For programs that have a byte stream of their own. Names here may change in any release.
 *
 * ```ts
 * import { JsonDecoder, LineFramer, stageStream } from "@sluice/agent/unstable-streams";
 *
 * const values = new Blob(['{"a":1}\n']).stream()
 *   .pipeThrough(stageStream(new LineFramer()))
 *   .pipeThrough(stageStream(new JsonDecoder()));
 * for await (const batch of values) console.log(batch);
 * ```
 *
 * @module
 */
export { JsonDecoder, type JsonDecoderOptions } from "./stream/json.ts";
export {
  LineFramer,
  type LineFramerOptions,
  type Piece,
} from "./stream/line_framer.ts";
export { type Stage, stageStream } from "./stream/stage.ts";
export type { JsonObject, JsonValue } from "./types/json.ts";
