// `@agentclientprotocol/claude-agent-acp`, as an editor starts it.
import * as acp from "@agentclientprotocol/sdk";
import { spawn } from "node:child_process";
import process from "node:process";
import { Readable, Writable } from "node:stream";

const { CLI, PLACE } = process.env;
const { cwd, env } = JSON.parse(PLACE);
const print = (...values) =>
  process.stdout.write(`${values.map(String).join(" ")}\n`);
const { agent: AGENT, client: CLIENT } = acp.methods;

const child = spawn(
  process.execPath,
  ["node_modules/@agentclientprotocol/claude-agent-acp/dist/index.js"],
  {
    env: { ...env, CLAUDE_CODE_EXECUTABLE: CLI },
    stdio: ["pipe", "pipe", "pipe"],
  },
);
let errors = "";
child.stderr.on("data", (chunk) => errors += chunk);
const ended = new Promise((resolve) => child.once("exit", resolve));
const stream = acp.ndJsonStream(
  Writable.toWeb(child.stdin),
  Readable.toWeb(child.stdout),
);
const started = deferred();
const titled = deferred();

const editor = acp.client({ name: "editor" })
  .onRequest(CLIENT.session.requestPermission, ({ params }) => {
    print(
      "asked",
      params.toolCall.title,
      params.options.map(({ kind }) => kind).join(),
    );
    const kind = process.argv[2] === "refused" ? "reject_once" : "allow_once";
    const option = params.options.find((one) => one.kind === kind);
    return { outcome: { outcome: "selected", optionId: option.optionId } };
  })
  .onNotification(CLIENT.session.update, ({ params: { update } }) => {
    const kind = update.sessionUpdate;
    if (kind === "agent_message_chunk") {
      print("said", update.content.text);
      started.resolve();
    } else if (kind.startsWith("tool_call")) {
      print(kind, update.title ?? "", update.status ?? "");
    } else if (kind === "session_info_update") titled.resolve();
    else print(kind);
  });

await editor.connectWith(stream, async (connection) => {
  const { protocolVersion, agentCapabilities } = await connection.request(
    AGENT.initialize,
    { protocolVersion: acp.PROTOCOL_VERSION, clientCapabilities: {} },
  );
  print(
    "protocol",
    protocolVersion,
    Object.keys(agentCapabilities).sort().join(),
  );
  const session = await connection.request(AGENT.session.new, {
    cwd,
    mcpServers: [],
  });
  print("modes", session.modes?.availableModes.map(({ id }) => id).join());
  print("options", session.configOptions?.map(({ id }) => id).join());
  const { sessionId } = session;
  const answer = connection.request(AGENT.session.prompt, {
    sessionId,
    prompt: [{ type: "text", text: "Go" }],
  });
  if (process.argv[2] === "cancelled") {
    await started.promise;
    await connection.notify(AGENT.session.cancel, { sessionId });
  }
  const { stopReason } = await answer;
  print("stopped", stopReason);
  // It comes at some time after the first turn.
  await titled.promise;
  if (process.argv[2] === "prompted") {
    const { sessions } = await connection.request(AGENT.session.list, { cwd });
    print("sessions", sessions.length);
  }
});
child.stdin.end();
const code = await ended;
print("exit", code);
if (code !== 0) process.stderr.write(errors);

/** For Node 20. */
function deferred() {
  let resolve;
  const promise = new Promise((done) => resolve = done);
  return { promise, resolve };
}
