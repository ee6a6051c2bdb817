/** Lines of recorded runs beside the description. */
import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import {
  type Description,
  isPlain,
  mayAsk,
  type Plain,
  type RecordedLine,
  shapesOf,
} from "./runs.ts";

/** A place where lines and the description differ. */
export interface Difference {
  /** Topic, kind, and the path of fields from there: `line system/init.tools`. */
  readonly path: string;
  readonly what: string;
  /** Says that a field is not described: objects are open, so that it breaks nothing. */
  readonly isNote: boolean;
  /** Run and line of its first occurrence. */
  readonly where: string;
}

type Found = Omit<Difference, "where">;

/** Compares runs with the description; each difference once. */
export function lineDifferences(
  schema: Description,
  runs: ReadonlyMap<string, readonly RecordedLine[]>,
): readonly Difference[] {
  const compare = lineComparer(schema);
  const found = new Map<string, Difference>();
  for (const [run, lines] of runs) {
    /** Subtypes of requests, by direction and id. */
    const asked = new Map<string, string>();
    for (const [index, { dir, msg }] of lines.entries()) {
      if (!isPlain(msg) || (dir !== "in" && dir !== "out")) continue;
      for (const one of compare(dir, msg, asked)) {
        const key = `${one.path} ${one.what}`;
        const where = `${run}:${index + 1}`;
        if (!found.has(key)) found.set(key, { ...one, where });
      }
    }
  }
  return [...found.values()];
}

function lineComparer(schema: Description) {
  const validate = validator(schema);
  // The same, without fields that are not described.
  const validateClosed = validator(closed(schema) as Description);
  const controls = Object.entries(schema["x-controls"]);

  /** A value beside the shapes that it may be; the closest one counts. */
  const beside = (value: Plain, shapes: readonly string[], path: string) => {
    const [closest] = shapes
      .map((name) => ({ name, errors: validate(name, value) }))
      .sort((a, b) => a.errors.length - b.errors.length);
    if (closest === undefined) return [{ path, what: "kind", isNote: false }];
    if (closest.errors.length > 0) {
      return withoutUnions(closest.errors).map((error): Found => ({
        path: path + fieldPath(error),
        what: error.message ?? error.keyword,
        isNote: false,
      }));
    }
    return unknownFields(validateClosed(closest.name, value))
      .map((error): Found => ({
        path: `${path}${fieldPath(error)}.${error.params.additionalProperty}`,
        what: "field",
        isNote: true,
      }));
  };

  /** The body of a control line. */
  const body = (
    dir: "in" | "out",
    { type, request_id: id, request, response }: Plain,
    asked: Map<string, string>,
  ): readonly Found[] => {
    if (type === "control_request" && isPlain(request)) {
      const subtype = String(request.subtype);
      asked.set(`${dir} ${id}`, subtype);
      const direction = dir === "in" ? "host-to-cli" : "cli-to-host";
      const shapes = controls.filter(([name, entry]) =>
        name === subtype && mayAsk(entry, direction)
      ).flatMap(([, entry]) => shapesOf(schema, entry.request, request));
      return beside(request, shapes, `request ${subtype}`);
    }
    if (type !== "control_response" || !isPlain(response)) return [];
    const subtype = asked.get(
      `${dir === "in" ? "out" : "in"} ${response.request_id}`,
    );
    const direction = dir === "in" ? "cli-to-host" : "host-to-cli";
    const entry = controls.find(([name, entry]) =>
      name === subtype && mayAsk(entry, direction)
    )?.[1];
    const reply = response.response;
    if (response.subtype !== "success" || !isPlain(reply) || !entry) return [];
    const path = `reply ${subtype}`;
    if (entry.reply !== null) return beside(reply, [entry.reply], path);
    return Object.keys(reply).length === 0
      ? []
      : [{ path, what: "has a body", isNote: false }];
  };

  return (
    dir: "in" | "out",
    msg: Plain,
    asked: Map<string, string>,
  ): readonly Found[] => {
    const topic = dir === "in" ? "stdin" : "line";
    const kind = [msg.type, msg.subtype].filter(Boolean).join("/");
    const shapes = shapesOf(
      schema,
      dir === "in" ? "StdinLine" : "StdoutLine",
      msg,
    );
    const inner = body(dir, msg, asked);
    const outer = beside(msg, shapes, `${topic} ${kind}`);
    // Faults of a request are those of its line as well.
    return inner.length === 0 ? outer : inner;
  };
}

function validator(schema: Description) {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    // A shape is compiled for a few lines: optimizing its code takes longer than they do.
    code: { optimize: false },
    inlineRefs: false,
  });
  ajv.addSchema(schema);
  return (name: string, value: unknown): readonly ErrorObject[] => {
    const validate = ajv.getSchema(`${schema.$id}#/$defs/${name}`);
    if (validate === undefined) throw new Error(`No $defs/${name}`);
    return validate(value) ? [] : validate.errors ?? [];
  };
}

/** A copy whose objects hold no field that is not described. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (!isPlain(node)) return node;
  const copy = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, closed(value)]),
  );
  const isObject = isPlain(node.properties) && node.type === "object";
  return isObject && !("additionalProperties" in node)
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** Of a union that nothing fits, that alone. */
function withoutUnions(
  errors: readonly ErrorObject[],
): readonly ErrorObject[] {
  const unions = errors.filter(({ keyword }) => keyword === "anyOf");
  return errors.filter((error) =>
    unions.includes(error) ||
    !unions.some(({ instancePath }) =>
      error.instancePath.startsWith(instancePath)
    )
  );
}

/** Fields that the one branch of a union that fits otherwise does not describe. */
function unknownFields(
  errors: readonly ErrorObject[],
): readonly ErrorObject[] {
  const branch = ({ schemaPath }: ErrorObject) =>
    schemaPath.replace(
      /\/(?:additionalProperties|required|properties\/.*)$/,
      "",
    );
  return errors.filter((error) =>
    error.keyword === "additionalProperties" &&
    !errors.some((other) =>
      other.keyword !== "additionalProperties" && other.keyword !== "anyOf" &&
      other.instancePath.startsWith(error.instancePath) &&
      branch(other) === branch(error)
    )
  );
}

function fieldPath({ instancePath }: ErrorObject): string {
  return instancePath.replaceAll(/\/\d+(?=\/|$)/g, "[]").replaceAll("/", ".");
}
