import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";

export type Answer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => void | Promise<void>;

/** A model's address on this machine. */
export async function withAddress(
  answer: Answer,
  use: (url: string) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (bytes) => body += String(bytes));
    request.on("end", () => void answer(request, response, body));
  });
  await new Promise<void>((resolve) =>
    server.listen(0, "127.0.0.1", () => resolve())
  );
  try {
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}

/** Answers with JSON, or a text as a page. */
export function says(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const isText = typeof body === "string";
  const type = isText ? "text/html" : "application/json";
  return (_request, response) => {
    response.writeHead(status, { "content-type": type, ...headers });
    response.end(isText ? body : JSON.stringify(body));
  };
}
