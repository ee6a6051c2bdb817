import { isObject, parsedJson } from "../errors/text.ts";
import type { JsonObject } from "../types/json.ts";

/** Objects in objects are read so deep. */
const DEPTH = 2;

/** The fields that are complete in the beginning of the text of an object, and in that of an object in it. */
export function fieldsIn(start: string): JsonObject {
  /** The brackets that end the open objects and arrays. */
  let ends = "";
  let isText = false;
  let complete = "";
  for (let at = 0; at < start.length; at++) {
    const letter = start[at];
    if (isText) {
      if (letter === "\\") at++;
      else if (letter === '"') isText = false;
    } else if (letter === '"') {
      isText = true;
    } else if (letter === "{" || letter === "[") {
      ends = (letter === "{" ? "}" : "]") + ends;
    } else if (letter === "}" || letter === "]") {
      ends = ends.slice(1);
    } else if (letter === "," && ends[0] === "}" && ends.length <= DEPTH) {
      complete = start.slice(0, at) + ends;
    }
  }
  const fields = parsedJson(complete);
  return isObject(fields) ? fields : {};
}
