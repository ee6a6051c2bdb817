import { ConfigError } from "../errors/config.ts";
import { FleetError } from "../errors/fleet.ts";
import { isObject } from "../errors/is_object.ts";
import { type Lane, LANES, type Path } from "./engine.ts";
import {
  type Body,
  type NatsCalls,
  NO_CONSUMER,
  NO_STREAM,
  TOO_FEW_SERVERS,
} from "./nats_calls.ts";

/** The server counts in nanoseconds. */
export const NANOS_PER_MS = 1_000_000;
/** As long as a write may be tried again, and longer. */
const DUPLICATE_WINDOW_MS = 300_000;

/** The names of a fleet's streams. */
export type Streams = Readonly<Record<"row" | "log" | "queue", string>>;

/** What the streams of a fleet are called. */
export function streamsOf(name: string): Streams {
  const of = (part: string) => `SLUICE_${name}_${part}`;
  return { row: of("rows"), log: of("logs"), queue: of("queue") };
}

/**
 * Makes what is missing on the server, and refuses what is there and differs.
 *
 * @returns The server's time, as it says it
 */
export async function openStreams(
  calls: NatsCalls,
  name: string,
  { replicas, leaseMs }: {
    readonly replicas: number;
    readonly leaseMs: number;
  },
): Promise<unknown> {
  const root = `sluice.${name}`;
  const { row, log, queue } = streamsOf(name);
  const common = {
    storage: "file",
    num_replicas: replicas,
    duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
  };
  await openStream(calls, row, {
    ...common,
    subjects: [`${root}.row.>`],
    retention: "limits",
    max_msgs_per_subject: 1,
    discard: "old",
    max_age: 0,
  });
  await openStream(calls, log, {
    ...common,
    subjects: [`${root}.log.>`],
    retention: "limits",
    max_msgs_per_subject: -1,
    discard: "new",
  });
  const ts = await openStream(calls, queue, {
    ...common,
    subjects: [`${root}.queue.*`],
    retention: "workqueue",
    discard: "new",
    max_age: 0,
  });
  for (const lane of LANES) {
    await openConsumer(calls, queue, lane, {
      durable_name: lane,
      filter_subject: subjectOf(`${root}.queue`, [lane]),
      ack_policy: "explicit",
      ack_wait: leaseMs * NANOS_PER_MS,
      max_deliver: -1,
      max_ack_pending: -1,
      deliver_policy: "all",
    });
  }
  return ts;
}

async function openStream(
  calls: NatsCalls,
  name: string,
  wanted: Body,
): Promise<unknown> {
  const found = await calls.api(`STREAM.INFO.${name}`, {}, NO_STREAM) ??
    await calls.api(`STREAM.CREATE.${name}`, { name, ...wanted })
      .catch((error) => {
        throw withoutServers(error, wanted["num_replicas"]);
      });
  // How safe and how large is up to whoever runs the server.
  const { num_replicas: _, duplicate_window: __, ...needed } = wanted;
  refuseOther(`Stream ${name}`, found?.["config"], needed);
  return found?.["ts"];
}

function withoutServers(error: unknown, replicas: unknown): unknown {
  const isSo = error instanceof FleetError &&
    TOO_FEW_SERVERS.has(Number(error.details?.["errorCode"]));
  if (!isSo) return error;
  return new FleetError({
    message:
      `"replicas" is ${replicas}, which takes a cluster of as many servers: ${error.message}`,
    fault: "settings",
    cause: error,
  });
}

async function openConsumer(
  calls: NatsCalls,
  queue: string,
  lane: Lane,
  wanted: Body,
): Promise<void> {
  const at = `${queue}.${lane}`;
  const found = await calls.api(`CONSUMER.INFO.${at}`, {}, NO_CONSUMER) ??
    await calls.api(`CONSUMER.CREATE.${at}.${wanted["filter_subject"]}`, {
      stream_name: queue,
      config: wanted,
    });
  refuseOther(`Consumer ${lane} of ${queue}`, found?.["config"], wanted);
}

/** Refuses what somebody else has set up under the same name. */
function refuseOther(what: string, found: unknown, wanted: Body): void {
  const actual: Body = isObject(found) ? found : {};
  for (const [key, value] of Object.entries(wanted)) {
    const is = actual[key] ?? (key === "max_age" ? 0 : undefined);
    if (JSON.stringify(is) === JSON.stringify(value)) continue;
    const isLease = key === "ack_wait";
    const help = isLease
      ? '"leaseMs" has to be the same in all programs of a fleet'
      : "remove it, or use another name";
    throw new FleetError({
      message: `${what} is there with other settings: "${key}" is ${
        JSON.stringify(is)
      }, needed is ${JSON.stringify(value)}; ${help}`,
      fault: "settings",
      ...isLease && { details: { leaseMs: Number(is) / NANOS_PER_MS } },
    });
  }
}

/** What the server takes as it is in a word of a subject; anything else is written as bytes. */
const PLAIN = /[A-Za-z0-9_-]/;
const LONGEST_SUBJECT = 2_000;

/** A path as words of a subject, each unlike that of any other path. */
export function subjectOf(root: string, path: Path): string {
  const subject = [root, ...path.map(encoded)].join(".");
  if (subject.length <= LONGEST_SUBJECT) return subject;
  throw new ConfigError({
    message:
      `A name must fit into ${LONGEST_SUBJECT} characters of a subject: it takes ${subject.length}`,
    key: "name",
  });
}

/** The path behind a subject. */
export function pathOf(root: string, subject: string): Path {
  return subject.slice(root.length + 1).split(".").map(decoded);
}

function encoded(word: string): string {
  const bytes = new TextEncoder().encode(word);
  const text = Array.from(bytes, (byte) => {
    const character = String.fromCharCode(byte);
    return byte < 128 && PLAIN.test(character)
      ? character
      : `=${byte.toString(16).padStart(2, "0")}`;
  }).join("");
  // A word of a subject cannot be empty.
  return text === "" ? "=" : text;
}

function decoded(word: string): string {
  if (word === "=") return "";
  return decodeURIComponent(word.replaceAll("=", "%"));
}
