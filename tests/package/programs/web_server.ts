// An agent behind a web page: shows its text and asks a person for permissions. Closing the page stops the agent.
// deno-lint-ignore-file no-console -- a program shows what happens
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";
import {
  NotPendingError,
  type PermissionQueue,
  permissionQueue,
  query,
  textStream,
} from "@sluice/agent";

const PAGE = `<!doctype html>
<title>Agent</title>
<form><input name="prompt" autofocus> <button>Ask</button></form>
<pre></pre>
<script>
document.forms[0].onsubmit = (event) => {
  event.preventDefault();
  const prompt = event.target.elements.prompt.value;
  const answer = document.querySelector("pre");
  const source = new EventSource("/ask?" + new URLSearchParams({ prompt }));
  const on = (name, use) =>
    source.addEventListener(name, ({ data }) => use(JSON.parse(data)));
  on("text", (piece) => answer.append(piece));
  const asked = new Set();
  on("requests", ({ page, pending }) => {
    for (const { id, tool, input } of pending) {
      // A list repeats requests whose answers have not arrived yet.
      if (asked.has(id)) continue;
      asked.add(id);
      const allow = confirm(tool + " " + JSON.stringify(input)) ? "yes" : "no";
      const body = new URLSearchParams({ page, id, allow });
      fetch("/answer", { method: "POST", body });
    }
  });
  on("end", (line) => answer.append("\\n" + line + "\\n"));
  // EventSource would reconnect after the end, and start another agent.
  source.onerror = () => source.close();
};
</script>`;

/** How long a permission request waits for its answer. */
const ANSWER_MS = 10 * 60_000;

/** Pending permission requests of each open page, by a page id that cannot be guessed. */
const queues = new Map<string, PermissionQueue>();

async function ask(prompt: string, response: ServerResponse): Promise<void> {
  const page = randomUUID();
  const queue = permissionQueue();
  queues.set(page, queue);
  const over = new AbortController();
  const { signal } = over;
  response.on("close", () => over.abort());
  response.writeHead(200, { "content-type": "text/event-stream" });
  const send = async (event: string, data: unknown) => {
    const lines = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    // The agent waits for a slow page.
    if (!response.write(lines)) await once(response, "drain", { signal });
  };
  const conversation = query(prompt, {
    signal,
    includePartialMessages: true,
    permissions: { canUseTool: queue.canUseTool, timeoutMs: ANSWER_MS },
  });
  const showRequests = async () => {
    for await (const pending of queue.watch({ signal })) {
      await send("requests", { page, pending });
    }
  };
  const showText = async () => {
    for await (const piece of textStream(conversation)) {
      await send("text", piece);
    }
    const { subtype, total_cost_usd } = await conversation.result();
    await send("end", `${subtype}, ${total_cost_usd.toFixed(2)} USD`);
    over.abort();
  };
  try {
    await Promise.all([showRequests(), showText()]);
  } catch (error) {
    if (!signal.aborted) {
      // The details are for the log, not for the page.
      console.error(error);
      await send("end", "The agent failed.");
    }
  } finally {
    queues.delete(page);
    response.end();
    await conversation.close();
  }
}

/** Passes a decision on and returns the HTTP status. */
function answer(body: string): number {
  const given = new URLSearchParams(body);
  const queue = queues.get(given.get("page") ?? "");
  if (queue === undefined) return 404;
  try {
    queue.answer(
      given.get("id") ?? "",
      given.get("allow") === "yes"
        ? { behavior: "allow" }
        : { behavior: "deny", message: "The person said no." },
    );
    return 204;
  } catch (error) {
    if (error instanceof NotPendingError) return 409;
    throw error;
  }
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(`http://page${request.url}`);
  if (pathname === "/ask") {
    await ask(searchParams.get("prompt") ?? "", response);
  } else if (pathname === "/answer" && request.method === "POST") {
    response.writeHead(answer(await text(request))).end();
  } else {
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  }
}

const server = createServer(async (request, response) => {
  try {
    await handle(request, response);
  } catch (error) {
    // A failed request must not end the server.
    console.error(error);
    if (!response.headersSent) response.writeHead(400);
    response.end();
  }
});
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log("Listening:", server.address());
});
