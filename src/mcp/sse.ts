import { Deferred } from "../async/deferred.ts";
import type { JsonObject } from "../types/json.ts";
import type { ServerEvent } from "./event_stream.ts";
import { McpFailure, reasonOf } from "./failure.ts";
import {
  Exchanges,
  isEventStream,
  messagesIn,
  readEvents,
  type RemoteServer,
} from "./http.ts";
import { refusalOf } from "./refusal.ts";
import type { Transport, TransportEvents } from "./transport.ts";

/**
 * The older transport: one stream carries every answer, and says where to send requests.
 *
 * The stream is the session: opened again it would be another one, and every answer on its way would be lost.
 */
export class Sse implements Transport {
  readonly #server: RemoteServer;
  readonly #url: URL;
  readonly #exchanges: Exchanges;
  #endpoint: URL | undefined;
  #events: TransportEvents | undefined;

  constructor(server: RemoteServer) {
    this.#server = server;
    this.#url = new URL(server.config.url);
    this.#exchanges = new Exchanges(server);
  }

  start(events: TransportEvents): Promise<void> {
    this.#events = events;
    const opened = new Deferred<void>();
    this.#exchanges.run(async (signal) => {
      const headers = { accept: "text/event-stream" };
      const response = await this.#exchanges
        .send(signal, this.#url, "GET", headers);
      if (!isEventStream(response)) {
        throw await refusalOf(this.#server, signal, response);
      }
      await readEvents(signal, response, (event) => {
        if (event.type === "endpoint") {
          this.#endpoint = this.#endpointIn(event);
          opened.resolve();
        } else if (event.type === "message") {
          for (const message of messagesIn(event.data)) {
            events.message(message as JsonObject);
          }
        }
      });
      throw new McpFailure("it ended", { kind: "network" });
    }).catch((error) => {
      const { name } = this.#server;
      const text = `Stream of MCP server "${name}" broke: ${reasonOf(error)}`;
      opened.reject(error);
      if (this.#endpoint !== undefined && !this.#exchanges.closing.aborted) {
        events.end(new McpFailure(text, { kind: "network", cause: error }));
      }
      this.#exchanges.close();
    });
    return opened.promise;
  }

  async send(message: JsonObject): Promise<void> {
    const url = this.#endpoint;
    if (url === undefined) throw new Error("Not connected");
    await this.#exchanges.run(async (signal) => {
      const headers = { "content-type": "application/json" };
      const response = await this.#exchanges
        .send(signal, url, "POST", headers, message);
      if (response.status >= 300) {
        throw await refusalOf(this.#server, signal, response);
      }
      await response.body?.cancel();
    });
  }

  close(): Promise<void> {
    this.#exchanges.close();
    this.#events?.end();
    return Promise.resolve();
  }

  /** Another origin would get the headers, and what they hold. */
  #endpointIn({ data }: ServerEvent): URL {
    const endpoint = new URL(data, this.#url);
    if (endpoint.origin === this.#url.origin) return endpoint;
    throw new McpFailure(
      `Endpoint of MCP server "${this.#server.name}" is of another origin: ${endpoint.origin}`,
      { kind: "protocol" },
    );
  }
}
