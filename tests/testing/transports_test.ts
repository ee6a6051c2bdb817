import type { Launch, Transport } from "../../src/ports/transport.ts";
import { memoryTransport } from "../../src/testing/memory_transport.ts";
import { record } from "../../src/testing/record.ts";
import { replay } from "../../src/testing/replay.ts";
import type { JsonObject } from "../../src/types/json.ts";
import {
  PROMPTS,
  type TransportSubject,
  transportSuite,
} from "../conformance/transport_suite.ts";

const launch: Launch = { args: [], env: {}, cwd: "/" };

const prompt = (n: number): string =>
  JSON.stringify({ type: "user", message: { role: "user", content: `${n}` } });

const answer = (n: number): string => `answer ${n}`;

function subject(transport: Transport): Promise<TransportSubject> {
  const close = () => Promise.resolve();
  return Promise.resolve({ transport, launch, prompt, answer, close });
}

/** A CLI in memory that answers every prompt. */
function memoryCli(): Transport {
  return memoryTransport({
    respond({ type, message }) {
      if (type !== "user") return undefined;
      const n = Number((message as JsonObject)["content"]);
      return { type: "result", result: answer(n) };
    },
  }).transport;
}

/** The cassette of a CLI that answered all prompts. */
function cassette(): string {
  const lines: JsonObject[] = [{ dir: "meta", event: "cassette", version: 1 }];
  for (let n = 0; n < PROMPTS; n++) {
    lines.push({ dir: "in", msg: JSON.parse(prompt(n)) });
    lines.push({ dir: "out", msg: { type: "result", result: answer(n) } });
  }
  lines.push({ dir: "meta", event: "stdin_close" });
  lines.push({ dir: "meta", event: "exit", code: 0, signal: null });
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

transportSuite("memoryTransport()", () => subject(memoryCli()));

transportSuite("record()", () => subject(record(memoryCli(), () => {})));

transportSuite("replay()", () => subject(replay(cassette())));
