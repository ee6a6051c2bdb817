import type { Client } from "../client.ts";
import { Deferred } from "../async/deferred.ts";
import { ConfigError } from "../errors/base.ts";
import { show } from "../errors/text.ts";
import { type Channel, makeChannel } from "./channel.ts";
import type { AgUiRunIds } from "./ag_ui_run.ts";
import { FORMATS, type StreamFormat } from "./formats.ts";
import { isClient, readingOf, turnReading, type UiSource } from "./source.ts";

/** The channel that a response joins, and how to end its source. */
export interface Joined {
  readonly channel: Channel;
  /** Ends what produces the messages. */
  close(): void;
  /** Gives up what no response reads, and a later one waits for. */
  yieldTurn(): void;
}

interface Open extends Joined {
  readonly format: StreamFormat;
}

/** One turn of a client. */
interface Turn extends Open {
  readonly over: Deferred<void>;
  /** Whether its prompt counts as read. */
  hasBegun: boolean;
  /** Leaves the rest of the turn to the next reader, which skips it. */
  abandon(): void;
}

const opened = new WeakMap<object, Open>();
const turnsOf = new WeakMap<Client, Turn[]>();

/** How the first response of a source makes its channel. */
export interface ChannelSettings {
  readonly format: StreamFormat;
  readonly run: AgUiRunIds;
  readonly mostBytes: number;
}

/** Returns the channel of a source, made by its first response; `undefined` for a client without a turn. */
export function channelOf(
  source: UiSource,
  settings: ChannelSettings,
): Joined | undefined {
  const { format } = settings;
  if (!isSource(source)) {
    throw new ConfigError({
      message:
        `A stream needs a conversation, a client or an async iterable of messages: ${
          show(source)
        }`,
      key: "source",
      fatal: false,
    });
  }
  const open = isClient(source)
    ? turnOf(source, settings)
    : opened.get(source) ?? openSource(source, settings);
  if (open === undefined || open.format === format) return open;
  throw new ConfigError({
    message:
      `Option "format" must be "${open.format}", as in the first response of this source`,
    key: "format",
    value: format,
    fatal: false,
  });
}

function isSource(source: unknown): boolean {
  return typeof source === "object" && source !== null &&
    (Symbol.asyncIterator in source || "receiveResponse" in source);
}

function openSource(
  source: Exclude<UiSource, Client>,
  { format, run, mostBytes }: ChannelSettings,
): Open {
  const reading = readingOf(source);
  const mapping = FORMATS[format].mapping(run);
  const channel = makeChannel({ reading, mapping, mostBytes });
  const open = { channel, format, close: reading.close, yieldTurn() {} };
  opened.set(source, open);
  return open;
}

/** The turn of a prompt that no response has, else the running one. */
function turnOf(
  client: Client,
  settings: ChannelSettings,
): Turn | undefined {
  const turns = turnsOf.get(client) ?? [];
  turnsOf.set(client, turns);
  const expected = turns.filter(({ hasBegun }) => !hasBegun).length;
  if (client.unreadTurns > expected) {
    turns.push(openTurn(client, turns, settings));
    yieldTurns(turns);
    return turns.at(-1);
  }
  return turns[0];
}

function openTurn(
  client: Client,
  turns: Turn[],
  { format, run, mostBytes }: ChannelSettings,
): Turn {
  const reading = turnReading(client, {
    before: turns.at(-1)?.over.promise ?? Promise.resolve(),
    onBegin: () => turn.hasBegun = true,
  });
  function remove(): void {
    const at = turns.indexOf(turn);
    if (at >= 0) turns.splice(at, 1);
  }
  const turn: Turn = {
    format,
    over: new Deferred(),
    hasBegun: false,
    channel: makeChannel({
      reading,
      mapping: FORMATS[format].mapping(run),
      mostBytes,
      onOver() {
        remove();
        turn.over.resolve();
      },
    }),
    close() {
      reading.close();
      turn.abandon();
    },
    yieldTurn: () => yieldTurns(turns),
    abandon() {
      remove();
      void reading.abandon().then(() => turn.over.resolve());
    },
  };
  return turn;
}

/** A turn that no response reads does not hold up the next one. */
function yieldTurns(turns: readonly Turn[]): void {
  for (const turn of turns.slice(0, -1)) {
    if (turn.channel.journal.readers === 0) turn.abandon();
  }
}
