// An agent behind a web page: its text as it is written, its questions for a person. Who leaves the page stops it.
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import process from "node:process";
import { text } from "node:stream/consumers";
import { type PermissionDecision, query, textStream } from "@sluice/agent";

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
  on("question", ({ id, tool, input }) => {
    const allow = confirm(tool + " " + JSON.stringify(input)) ? "yes" : "no";
    fetch("/answer", { method: "POST", body: new URLSearchParams({ id, allow }) });
  });
  on("end", (line) => answer.append("\\n" + line + "\\n"));
  // It would ask again after the end.
  source.onerror = () => source.close();
};
</script>`;

/** Who waits for a decision, by an id that nobody can guess. */
const questions = new Map<string, (decision: PermissionDecision) => void>();

async function ask(prompt: string, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const { signal } = gone;
  const send = async (event: string, data: unknown) => {
    const line = `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
    // A slow page holds the agent back.
    if (!response.write(line)) await once(response, "drain", { signal });
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  const conversation = query(prompt, {
    signal,
    includePartialMessages: true,
    permissions: {
      timeoutMs: 600_000,
      canUseTool: async (tool, input, context) => {
        const id = randomUUID();
        const decision = new Promise<PermissionDecision>((resolve) =>
          questions.set(id, resolve)
        );
        context.signal.addEventListener("abort", () => questions.delete(id));
        await send("question", { id, tool, input });
        return await decision;
      },
    },
  });
  try {
    for await (const piece of textStream(conversation)) {
      await send("text", piece);
    }
    const { subtype, total_cost_usd } = await conversation.result();
    await send("end", `${subtype}, ${total_cost_usd.toFixed(2)} USD`);
  } catch (error) {
    if (!signal.aborted) await send("end", String(error));
  } finally {
    response.end();
  }
}

function answer(body: string): boolean {
  const given = new URLSearchParams(body);
  const id = given.get("id") ?? "";
  const decide = questions.get(id);
  questions.delete(id);
  decide?.(
    given.get("allow") === "yes"
      ? { behavior: "allow" }
      : { behavior: "deny", message: "The person said no." },
  );
  return decide !== undefined;
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(`http://page${request.url}`);
  if (pathname === "/ask") {
    await ask(searchParams.get("prompt") ?? "", response);
  } else if (pathname === "/answer" && request.method === "POST") {
    response.writeHead(answer(await text(request)) ? 204 : 404).end();
  } else {
    response.setHeader("content-type", "text/html; charset=utf-8").end(PAGE);
  }
});
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log("Listening:", server.address());
});
