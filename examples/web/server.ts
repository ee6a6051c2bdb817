// A chat for many users, with two pages: plain HTML, and React with useChat. README.md beside it says how to run it.
// deno-lint-ignore-file no-console -- an example shows what happens
import { serve } from "@hono/node-server";
import { CapacityError, directoryApprovals } from "@sluice/agent";
import { telemetry } from "@sluice/agent/otel";
import {
  directoryTranscripts,
  readTranscript,
} from "@sluice/agent/transcripts";
import { approvalResponse, clients, sseResponse } from "@sluice/agent/ui";
import { type Context, Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { readFile } from "node:fs/promises";
import process from "node:process";

const approvals = directoryApprovals("./approvals");
const store = directoryTranscripts("./chats");
const transcripts = { store, projectKey: "web" };
const options = telemetry({ agentName: "chat" }).options({
  includePartialMessages: true,
  shutdown: { forwardSignals: false },
  permissions: {
    approvals: { store: approvals },
    // The CLI offers AskUserQuestion only beside a callback.
    canUseTool: () => ({ behavior: "deny", message: "Not decided." }),
  },
});
const agents = clients(options, { max: 20, maxPerKey: 3, transcripts });

const app = new Hono();
const keyOf = (context: Context) => ({
  // A login goes here: this one gives each browser a user.
  user: getCookie(context, "user") ?? "",
  thread: context.req.path.split("/", 3).join("/"),
});
const turn = (context: Context, client = agents.peek(keyOf(context))) =>
  client === undefined ? context.body(null, 204) : sseResponse(client, {
    format: context.req.path.startsWith("/messages/") ? "messages" : "ai-sdk",
    lastEventId: context.req.header("last-event-id"),
    approvals,
    onLeave: "park",
  });

const THREAD = "/:format{messages|ai-sdk}/:thread";
app.post(THREAD, async (context) => {
  const { prompt } = await context.req.json();
  const client = await agents.get(keyOf(context));
  await client.sendMessage(String(prompt));
  return turn(context, client);
});
// After a reload: the turn that runs.
app.get(THREAD, (context) => turn(context));
app.delete(THREAD, async (context) => {
  await agents.peek(keyOf(context))?.interrupt();
  return context.body(null, 204);
});
app.post(`${THREAD}/approvals`, async (context) => {
  const sessionId = await agents.sessionId(keyOf(context));
  return await approvalResponse(approvals, context.req.raw, { sessionId });
});
app.get(`${THREAD}/history`, async (context) => {
  const sessionId = await agents.sessionId(keyOf(context));
  const past = await readTranscript(sessionId, transcripts).catch((error) => {
    if (error.missing) return [];
    throw error;
  });
  return context.json(past);
});

for (const name of ["page.html", "use_chat.html", "use_chat.js"]) {
  app.get(name === "page.html" ? "/" : `/${name}`, async (context) => {
    if (getCookie(context, "user") === undefined) {
      const options = { httpOnly: true, sameSite: "Strict" } as const;
      setCookie(context, "user", crypto.randomUUID(), options);
    }
    const type = name.endsWith(".js") ? "text/javascript" : "text/html";
    const body = await readFile(new URL(name, import.meta.url), "utf8");
    return context.body(body, 200, {
      "content-type": `${type}; charset=utf-8`,
    });
  });
}
app.onError((error, context) => {
  if (error instanceof CapacityError) {
    return context.text("Busy, try again.", 503, { "retry-after": "5" });
  }
  console.error(error);
  return context.text("Failed.", 500);
});

const port = Number(process.env["PORT"] ?? 8080);
const server = serve(
  { fetch: app.fetch, port, hostname: "127.0.0.1" },
  ({ port }) => console.log(`http://127.0.0.1:${port}/`),
);
process.once("SIGTERM", async () => {
  server.close();
  await agents.close();
  process.exit();
});
