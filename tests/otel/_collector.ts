import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A span as OTLP has it in JSON. */
export interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  /** Nanoseconds since 1970, in digits. */
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes?: readonly {
    readonly key: string;
    readonly value: Readonly<Record<string, unknown>>;
  }[];
}

/** A receiver of OTLP over HTTP, in JSON, on loopback. */
export interface Collector {
  /** Its address, for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** All spans that came. */
  readonly spans: readonly WireSpan[];
  /** Resolves with the first span of a name, when it has come. */
  span(name: string): Promise<WireSpan>;
  close(): Promise<void>;
}

export async function collector(): Promise<Collector> {
  const spans: WireSpan[] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text) => body += text);
    request.on("end", () => {
      const { resourceSpans = [] } = JSON.parse(body);
      for (const { scopeSpans } of resourceSpans) {
        for (const scope of scopeSpans) spans.push(...scope.spans);
      }
      response.setHeader("content-type", "application/json").end("{}");
      for (const look of waiting) look();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    span: (name) =>
      new Promise((resolve) => {
        const look = () => {
          const found = spans.find((one) => one.name === name);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    async close() {
      server.closeAllConnections();
      await once(server.close(), "close");
    },
  };
}
