// A chat at a terminal, on Deno, Bun and Node.
import process from "node:process";
import { createInterface } from "node:readline";
import { Client, textStream } from "@sluice/agent";

const client = new Client({ includePartialMessages: true });
await client.connect();
process.stdout.write("> ");
for await (const line of createInterface({ input: process.stdin })) {
  await client.sendMessage(line);
  for await (const piece of textStream(client.receiveResponse())) {
    process.stdout.write(piece);
  }
  process.stdout.write("\n> ");
}
await client.close();
