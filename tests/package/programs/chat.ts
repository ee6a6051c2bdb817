// A chat at a terminal. Ctrl-C stops the answer. At the prompt, Ctrl-C or Ctrl-D ends the chat.
import process from "node:process";
import { createInterface } from "node:readline";
import { Client, textOf, wasInterrupted } from "@sluice/agent";

const client = new Client({
  includePartialMessages: true,
  // Only this program gets SIGINT, not the CLI.
  shutdown: { ownProcessGroup: true, forwardSignals: false },
});
await client.connect();

const lines = createInterface({ input: process.stdin });
let isAnswering = false;
process.on("SIGINT", () => {
  if (isAnswering) void client.interrupt();
  else lines.close();
});

async function answer(line: string): Promise<void> {
  await client.sendMessage(line);
  for await (const message of client.receiveResponse()) {
    if (message.type === "stream_event") process.stdout.write(textOf(message));
    if (message.type !== "result") continue;
    if (wasInterrupted(message)) process.stdout.write(" (stopped)");
    else if (message.is_error) process.stdout.write(textOf(message));
  }
}

process.stdout.write("> ");
try {
  for await (const line of lines) {
    isAnswering = true;
    await answer(line);
    isAnswering = false;
    process.stdout.write("\n> ");
  }
  process.stdout.write("\nBye.\n");
} catch (error) {
  // The session still exists: continue it with the option `resume`.
  process.stderr.write(`\n${error}\nSession: ${client.sessionId}\n`);
  process.exitCode = 1;
} finally {
  lines.close();
  await client.close();
}
