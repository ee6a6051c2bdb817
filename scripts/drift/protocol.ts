/** The description as a whole beside the declarations of a release of the official package. */
import type {
  HookEntry,
  ProtocolSchema as PublishedSchema,
} from "../../src/protocol/schema_types.ts";
import type { Declared } from "./official.ts";
import {
  compareObjects,
  compareShapes,
  type Difference,
  type ObjectShape,
  schemaReader,
  type Shape,
} from "./shapes.ts";

/** What is read of the published schema: its indexes, and its shapes. */
export interface ProtocolSchema extends
  Pick<
    PublishedSchema,
    "$id" | "x-messages" | "x-controls" | "x-hooks"
  > {
  readonly $defs: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** How many shapes of each topic were compared. */
export type Compared = Readonly<Record<string, number>>;

/** Types that hold all requests at once; those are compared by themselves. */
export const OPAQUE: ReadonlySet<string> = new Set(["SDKControlRequest"]);

/** Replies whose types are not named after their requests. */
const REPLIES: Readonly<Record<string, string>> = {
  can_use_tool: "PermissionResult",
  hook_callback: "HookJSONOutput",
  mcp_set_servers: "McpSetServersResult",
  request_user_dialog: "UserDialogResult",
  rewind_files: "RewindFilesResult",
};

/** Compares each topic: lines, requests, replies, hooks. */
export function compareProtocol(
  declared: Declared,
  schema: ProtocolSchema,
): {
  readonly differences: readonly Difference[];
  readonly compared: Compared;
} {
  const differences: Difference[] = [];
  const compared: Record<string, number> = {};
  const seen = new Set<string>();
  const own = schemaReader(schema);
  const theirs = (name: string): Shape => {
    const shape = declared.shape(name);
    if (shape !== undefined) return shape;
    differences.push({
      change: "gone",
      path: `type ${name}`,
      what: "no such type in the official package",
    });
    return { isAnything: true, scalars: new Map(), objects: [] };
  };
  const compare = (
    topic: string,
    left: readonly ObjectShape[],
    right: readonly ObjectShape[],
  ) => {
    compared[topic] = left.length;
    differences.push(...compareObjects(left, right, topic, seen));
  };

  const isEnvelope = (one: ObjectShape) => has(one, "type", "control_request");
  // What a reader makes of lines that it does not know is on no wire.
  const isMade = ({ id }: ObjectShape) =>
    schema.$defs[id]?.["x-made-here"] === true;
  compare(
    "line",
    theirs("StdoutMessage").objects.filter((one) => !isEnvelope(one)),
    own("StdoutLine").objects.filter((one) => !isEnvelope(one) && !isMade(one)),
  );
  compare(
    "stdin",
    theirs("SDKUserMessage").objects,
    own("StdinLine").objects.filter((one) => has(one, "type", "user")),
  );

  const hooks = Object.values(schema["x-hooks"]);
  const mark = ({ published }: HookEntry) => (one: ObjectShape) =>
    published ? one : { ...one, isPublished: false };
  compare(
    "hook input",
    theirs("HookInput").objects,
    hooks.flatMap((hook) => own(hook.input).objects.map(mark(hook))),
  );
  const specific = theirs("SyncHookJSONOutput").objects.flatMap(({ fields }) =>
    fields().get("hookSpecificOutput")?.shape().objects ?? []
  );
  compare(
    "hook output",
    specific,
    hooks.flatMap((hook) =>
      hook.output === null
        ? []
        : own(hook.output).objects.flatMap(specificOutput).map(mark(hook))
    ),
  );

  const controls = Object.entries(schema["x-controls"]);
  const requests = theirs("SDKControlRequestInner").objects;
  compare(
    "request",
    requests,
    controls.flatMap(([, { request, published }]) =>
      own(request).objects.map((one) =>
        published ? one : { ...one, isPublished: false }
      )
    ),
  );
  const replies = new Map(Object.entries(REPLIES));
  for (const { id, fields } of requests) {
    const reply = id.replace(/Request$/, "Response");
    const { scalars } = fields().get("subtype")?.shape() ?? {};
    const [subtype] = scalars?.keys() ?? [];
    if (subtype === undefined || !declared.names.has(reply)) continue;
    replies.set(JSON.parse(subtype), reply);
  }
  compared["reply"] = replies.size;
  for (const [subtype, name] of replies) {
    const entry = controls.find(([one, { reply }]) =>
      one === subtype && reply !== null
    );
    if (entry?.[1].reply == null) {
      differences.push({ change: "new", path: `reply ${subtype}`, what: name });
    } else {
      differences.push(...compareShapes(
        theirs(name),
        own(entry[1].reply),
        `reply ${subtype}`,
        seen,
      ));
    }
  }
  return { differences, compared };
}

/** Whether a field of an object may be a literal. */
function has(object: ObjectShape, name: string, value: string): boolean {
  const field = object.fields().get(name);
  return field?.shape().scalars.has(JSON.stringify(value)) === true;
}

/** The part of a hook's output that is its own, where a description gives the whole. */
function specificOutput(output: ObjectShape): readonly ObjectShape[] {
  const inner = output.fields().get("hookSpecificOutput");
  return inner === undefined ? [output] : inner.shape().objects;
}
