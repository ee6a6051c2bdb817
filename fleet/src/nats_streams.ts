import { FleetError } from "./errors.ts";
import { ConfigError } from "@sluice/agent";
import { fleetError, LANES, type Path } from "./engine.ts";
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
type Streams = Readonly<Record<"row" | "log" | "queue", string>>;

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
  { name, replicas, leaseMs }: {
    readonly name: string;
    readonly replicas: number;
    readonly leaseMs: number;
  },
): Promise<unknown> {
  const root = `sluice.${name}`;
  const { row, log, queue } = streamsOf(name);
  const open = async (stream: string, wanted: Body) => {
    const needed = { storage: "file", ...wanted };
    const found = await calls.api(`STREAM.INFO.${stream}`, {}, NO_STREAM) ??
      await calls.api(`STREAM.CREATE.${stream}`, {
        name: stream,
        num_replicas: replicas,
        duplicate_window: DUPLICATE_WINDOW_MS * NANOS_PER_MS,
        ...needed,
      }).catch((cause) => {
        const isAlone = cause instanceof FleetError &&
          TOO_FEW_SERVERS.has(Number(cause.details?.["errorCode"]));
        if (!isAlone) throw cause;
        throw fleetError(
          "settings",
          `"replicas" is ${replicas}, which takes a cluster of as many servers: ${cause.message}`,
          { cause },
        );
      });
    // Replicas and size limits are up to the operator of the server.
    refuseOther(`Stream ${stream}`, found?.["config"], needed);
    return found?.["ts"];
  };
  await open(row, {
    subjects: [`${root}.row.>`],
    retention: "limits",
    max_msgs_per_subject: 1,
    discard: "old",
    max_age: 0,
  });
  await open(log, {
    subjects: [`${root}.log.>`],
    retention: "limits",
    max_msgs_per_subject: -1,
    discard: "new",
  });
  const ts = await open(queue, {
    subjects: [`${root}.queue.*`],
    retention: "workqueue",
    discard: "new",
    max_age: 0,
  });
  for (const lane of LANES) {
    const config = {
      durable_name: lane,
      filter_subject: subjectOf(`${root}.queue`, [lane]),
      ack_policy: "explicit",
      ack_wait: leaseMs * NANOS_PER_MS,
      max_deliver: -1,
      max_ack_pending: -1,
      deliver_policy: "all",
    };
    const at = `${queue}.${lane}`;
    const found = await calls.api(`CONSUMER.INFO.${at}`, {}, NO_CONSUMER) ??
      await calls.api(`CONSUMER.CREATE.${at}.${config.filter_subject}`, {
        stream_name: queue,
        config,
      });
    refuseOther(`Consumer ${lane} of ${queue}`, found?.["config"], config);
  }
  return ts;
}

/** Rejects a stream or consumer that has the name but other settings. */
function refuseOther(what: string, found: unknown, wanted: Body): void {
  const actual: Body = Object(found);
  for (const [key, value] of Object.entries(wanted)) {
    const is = actual[key] ?? (key === "max_age" ? 0 : undefined);
    if (JSON.stringify(is) === JSON.stringify(value)) continue;
    const isLease = key === "ack_wait";
    const help = isLease
      ? '"leaseMs" has to be the same in all programs of a fleet'
      : "remove it, or use another name";
    throw fleetError(
      "settings",
      `${what} is there with other settings: "${key}" is ${
        JSON.stringify(is)
      }, needed is ${JSON.stringify(value)}; ${help}`,
      { ...isLease && { details: { leaseMs: Number(is) / NANOS_PER_MS } } },
    );
  }
}

/** Characters of a word of a subject; others are written as bytes. */
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
