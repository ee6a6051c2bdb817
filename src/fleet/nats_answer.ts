import { isObject } from "../errors/text.ts";
import { FleetError } from "../errors/fleet.ts";

/** Words of the server's own for what a call may meet: there is no such consumer. */
export const NO_CONSUMER = 10014;
/** There is no such message. */
export const NO_MESSAGE = 10037;
/** There is no such stream. */
export const NO_STREAM = 10059;
/** Too few servers; while a cluster starts, they do not know each other yet. */
const NO_PEERS = 10005;
/** A server alone, or too few of them, for so many replicas. */
export const TOO_FEW_SERVERS: ReadonlySet<number> = new Set([NO_PEERS, 10074]);
/** Somebody else has written since. */
export const WRONG_SEQUENCE = 10071;
/** The same message, or another write to the same subject, is on its way to the other servers of a cluster. */
const IN_PROCESS: ReadonlySet<number> = new Set([10158, 10164]);
/** No room for it: storage of the server or the account, limits of the stream. */
const NO_ROOM: ReadonlySet<number> = new Set([
  ...[10002, 10023, 10028, 10047, 10077, 10122],
]);

/** What is asked of JetStream's API, in JSON. */
export type Body = Readonly<Record<string, unknown>>;

/** What came of a call. */
export interface Answer {
  readonly body: Body;
  /** The server's number for why it said no; 0 when it did not. */
  readonly refused: number;
  /** Whether an earlier try may have had its effect. */
  readonly isAgain: boolean;
}

/** What the bytes of an answer say. */
export function answerIn(data: Uint8Array, isAgain: boolean): Answer {
  const text = new TextDecoder().decode(data);
  const body: unknown = text === "" ? {} : JSON.parse(text);
  if (!isObject(body)) return { body: {}, refused: 0, isAgain };
  const { error } = body;
  const refused = isObject(error) ? Number(error["err_code"] ?? 1) : 0;
  return { body, refused, isAgain };
}

function codeIn({ body: { error } }: Answer): number {
  return isObject(error) ? Number(error["code"]) : 0;
}

/** Whether the server says that it cannot just now: it is starting, has no leader, or is about to do the same. */
export function isForNow(answer: Answer): boolean {
  return IN_PROCESS.has(answer.refused) || answer.refused === NO_PEERS ||
    codeIn(answer) === 503 && !NO_ROOM.has(answer.refused);
}

/** Says why the server said no. */
export function refusal(answer: Answer, what: string): FleetError {
  const { body: { error }, refused } = answer;
  const words = isObject(error) ? String(error["description"]) : "no reason";
  const isFull = NO_ROOM.has(refused);
  return new FleetError({
    message: `${
      isFull ? "Server has no room" : "Server said no"
    }: ${what}: ${words} (${refused})`,
    fault: isFull ? "full" : "server",
    details: { errorCode: refused },
  });
}

/** The name of an error, of whatever copy of its class. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "";
}

/** Whether the same call may succeed soon: no answer in time, nobody who answers, a connection that was lost. */
export function passes(error: unknown): boolean {
  const name = nameOf(error);
  if (name !== "RequestError") {
    return ["TimeoutError", "ConnectionError", "NoResponders"]
      .includes(name);
  }
  const cause = (error as Error).cause;
  return cause === undefined || passes(cause);
}
