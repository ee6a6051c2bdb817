/** Lines of recorded runs beside the description: whole lines by ajv, and what the schema does not name. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject } from "ajv/dist/2020.js";
import type { ControlEntry } from "../../src/protocol/schema_types.ts";
import type { ProtocolSchema } from "./protocol.ts";
import {
  canBe,
  type Difference,
  type ObjectShape,
  schemaReader,
  type Shape,
} from "./shapes.ts";

/** One line of a recording; what is not a line of the protocol has no `msg`. */
export interface RecordedLine {
  readonly dir: string;
  readonly msg?: unknown;
}

/** A difference that lines have shown. */
export interface Seen extends Difference {
  /** Run and line where it was seen first. */
  readonly where: string;
  /** How many lines have it. */
  count: number;
}

/** Checks lines, run by run. */
interface LineChecker {
  /** Checks the lines of a run, in their order. */
  readonly check: (run: string, lines: readonly RecordedLine[]) => void;
  /** What was found so far. */
  readonly found: () => readonly Seen[];
  /** How many lines were checked. */
  readonly checked: () => number;
}

/** The lines of a folder of recordings, by file. */
export async function readRuns(
  folder: string | URL,
): Promise<ReadonlyMap<string, readonly RecordedLine[]>> {
  const runs = new Map<string, readonly RecordedLine[]>();
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (name.endsWith(".ndjson")) names.push(name);
  }
  for (const name of names.sort()) {
    const url = folder instanceof URL
      ? new URL(name, folder)
      : `${folder}/${name}`;
    const text = await Deno.readTextFile(url);
    runs.set(
      name,
      text.split("\n").filter((line) => line !== "")
        .map((line) => JSON.parse(line)),
    );
  }
  return runs;
}

/** A JSON object. */
export type Plain = Readonly<Record<string, unknown>>;

/** Begins a check against a schema. */
export function lineChecker(schema: ProtocolSchema): LineChecker {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: true,
    validateFormats: false,
    // A shape is compiled for a few lines: to make its code fast takes longer than they do.
    code: { optimize: false },
    inlineRefs: false,
  });
  ajv.addSchema(schema);
  const read = schemaReader(schema);
  const controls = Object.entries(schema["x-controls"]);
  const seen = new Map<string, Seen>();
  let checked = 0;

  const check = (run: string, lines: readonly RecordedLine[]): void => {
    /** Who asked for what, by direction and id. */
    const asked = new Map<string, string>();
    for (const [index, { dir, msg }] of lines.entries()) {
      if (!isPlain(msg) || (dir !== "in" && dir !== "out")) continue;
      checked++;
      for (const difference of lineDifferences(dir, msg, asked)) {
        const key = JSON.stringify(difference);
        const before = seen.get(key);
        if (before !== undefined) before.count++;
        else {
          const where = `${run}:${index + 1}`;
          seen.set(key, { ...difference, where, count: 1 });
        }
      }
    }
  };

  const lineDifferences = (
    dir: "in" | "out",
    msg: Plain,
    asked: Map<string, string>,
  ): readonly Difference[] => {
    const topic = dir === "in" ? "stdin" : "line";
    const whole = dir === "in" ? "StdinLine" : "StdoutLine";
    const kind = kindOf(msg);
    const body = bodyDifferences(dir, msg, asked);
    const envelope = differencesOf(
      msg,
      read(whole).objects.filter((one) => canBe(one, msg)),
      `${topic} ${kind}`,
    );
    const found = [
      ...body,
      // What is wrong with a request is said of the request.
      ...body.length === 0
        ? envelope
        : envelope.filter(({ path }) => !path.includes(".request")),
    ];
    // What the parts do not show, the whole does.
    if (
      found.some(({ change, what }) => change === "changed" || what === "kind")
    ) {
      return found;
    }
    const isValid = validator(whole);
    if (isValid(msg)) return found;
    return [...found, {
      change: "changed",
      path: `${topic} ${kind}`,
      what: `does not validate as ${whole}: ${
        ajv.errorsText(isValid.errors?.slice(-2))
      }`,
    }];
  };
  /** What a control line carries. */
  const bodyDifferences = (
    dir: "in" | "out",
    msg: Plain,
    asked: Map<string, string>,
  ): readonly Difference[] => {
    if (msg["type"] === "control_request" && isPlain(msg["request"])) {
      const subtype = String(msg["request"]["subtype"]);
      asked.set(`${dir} ${msg["request_id"]}`, subtype);
      const direction = dir === "in" ? "host-to-cli" : "cli-to-host";
      const defs = controls.filter(([name, entry]) =>
        name === subtype && mayAsk(entry, direction)
      ).flatMap(([, { request }]) => read(request).objects);
      return differencesOf(msg["request"], defs, `request ${subtype}`);
    }
    if (msg["type"] === "control_response" && isPlain(msg["response"])) {
      const { subtype: outcome, request_id, response } = msg["response"];
      const other = dir === "in" ? "out" : "in";
      const subtype = asked.get(`${other} ${request_id}`);
      if (outcome !== "success" || subtype === undefined) return [];
      const direction = dir === "in" ? "cli-to-host" : "host-to-cli";
      const entry = controls.find(([name, entry]) =>
        name === subtype && mayAsk(entry, direction)
      )?.[1];
      if (entry === undefined || response === undefined) return [];
      const path = `reply ${subtype}`;
      if (entry.reply === null) {
        return isPlain(response) && Object.keys(response).length === 0
          ? []
          : [{ change: "new", path, what: "the reply has a body" }];
      }
      return valueDifferences(response, read(entry.reply), entry.reply, path);
    }
    return [];
  };

  /** A value beside the objects that it may be: one of them has to fit. */
  const differencesOf = (
    value: Plain,
    objects: readonly ObjectShape[],
    path: string,
  ): readonly Difference[] => {
    if (objects.length === 0) return [{ change: "new", path, what: "kind" }];
    const errors = objects.map(({ id }) => {
      const validate = validator(id);
      return validate(value) ? [] : validate.errors ?? [];
    });
    const least = errors.reduce((a, b) => a.length <= b.length ? a : b);
    const best = objects.filter((_one, at) => errors[at] === least);
    return [
      ...errorDifferences(least, path),
      ...unnamed(value, {
        isAnything: false,
        scalars: new Map(),
        objects: best,
      }, path),
    ];
  };

  const valueDifferences = (
    value: unknown,
    shape: Shape,
    def: string,
    path: string,
  ): readonly Difference[] => {
    const validate = validator(def);
    const errors = validate(value) ? [] : validate.errors ?? [];
    return [
      ...errorDifferences(errors, path),
      ...unnamed(value, shape, path),
    ];
  };

  const validators = new Map<string, ReturnType<typeof ajv.compile>>();
  const validator = (def: string) => {
    let validate = validators.get(def);
    if (validate === undefined) {
      validate = ajv.compile({ $ref: `${schema.$id}#/$defs/${def}` });
      validators.set(def, validate);
    }
    return validate;
  };

  return { check, found: () => [...seen.values()], checked: () => checked };
}

/** Whether a request goes in a direction. */
export function mayAsk(
  entry: ControlEntry,
  direction: "host-to-cli" | "cli-to-host",
): boolean {
  return entry.direction === direction || entry.direction === "both";
}

/** What ajv says; of a union that nothing fits, that alone. */
function errorDifferences(
  errors: readonly ErrorObject[],
  path: string,
): readonly Difference[] {
  const unions = errors.filter(({ keyword }) => UNIONS.has(keyword))
    .map(({ instancePath }) => instancePath);
  const telling = errors.filter(({ keyword, instancePath }) =>
    !unions.some((at) =>
      UNIONS.has(keyword)
        ? instancePath !== at && instancePath.startsWith(at)
        : instancePath.startsWith(at)
    )
  );
  return telling.map(({ instancePath, message, keyword }) => ({
    change: "changed",
    path: path + instancePath.replaceAll(/\/\d+(?=\/|$)/g, "[]")
      .replaceAll("/", "."),
    what: message ?? keyword,
  }));
}

const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/** Fields of a value that its shape does not name. */
function unnamed(
  value: unknown,
  shape: Shape,
  path: string,
): readonly Difference[] {
  if (shape.isAnything) return [];
  if (Array.isArray(value)) {
    const items = shape.items?.();
    if (items === undefined) return [];
    return value.flatMap((item) => unnamed(item, items, `${path}[]`));
  }
  if (!isPlain(value) || shape.objects.length === 0) return [];
  const fitting = shape.objects.filter((one) => canBe(one, value));
  if (fitting.length === 0) {
    return [{ change: "new", path, what: `kind ${kindOf(value)}` }];
  }
  return Object.entries(value).flatMap(([name, inner]) => {
    const shapes = fitting.flatMap((one) =>
      one.fields().get(name)?.shape() ?? one.others?.() ?? []
    );
    const at = `${path}.${name}`;
    const [first, ...rest] = shapes.map((one) => unnamed(inner, one, at));
    if (first === undefined) {
      return [{
        change: "new" as const,
        path: at,
        what: `field: ${typeOf(inner)}`,
      }];
    }
    return rest.reduce((a, b) => a.length <= b.length ? a : b, first);
  });
}

function kindOf(value: Plain): string {
  return ["type", "subtype", "behavior", "kind"].flatMap((name) =>
    typeof value[name] === "string" ? [value[name]] : []
  ).join("/");
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Whether a value is a JSON object. */
export function isPlain(value: unknown): value is Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
