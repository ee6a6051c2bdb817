import { env } from "node:process";
import {
  type JsonObject,
  type Launch,
  localTransport,
  type Transport,
} from "@sluice/agent";
import {
  fakeCli,
  memoryTransport,
  record,
  replay,
} from "@sluice/agent/testing";
import {
  PROMPTS,
  type TransportSubject,
  transportSuite,
} from "./transport_suite.ts";

const launch: Launch = {
  args: [],
  env: { PATH: env["PATH"] ?? "" },
  cwd: ".",
};

const prompt = (n: number): string =>
  JSON.stringify({ type: "user", message: { role: "user", content: `${n}` } });

const answer = (n: number): string => `answer ${n}`;

const numbers = Array.from({ length: PROMPTS }, (_, n) => n);

function subject(
  transport: Transport,
  close: () => Promise<void> = () => Promise.resolve(),
): TransportSubject {
  return { transport, launch, prompt, answer, close };
}

/** A real process that answers every prompt. */
function processCli(): Promise<TransportSubject> {
  const fake = fakeCli(numbers.map(answer));
  const transport = localTransport({ cliPath: fake.cliPath });
  return Promise.resolve(subject(transport, () => fake.close()));
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

/** The recording of a CLI that answered all prompts. */
function recording(): string {
  const lines: readonly JsonObject[] = [
    { dir: "meta", event: "cassette", version: 1 },
    ...numbers.flatMap((n) => [
      { dir: "in", msg: JSON.parse(prompt(n)) },
      { dir: "out", msg: { type: "result", result: answer(n) } },
    ]),
    { dir: "meta", event: "stdin_close" },
    { dir: "meta", event: "exit", code: 0, signal: null },
  ];
  return lines.map((line) => JSON.stringify(line)).join("\n");
}

transportSuite("localTransport()", processCli);

transportSuite("fakeCli().transport", () => {
  const fake = fakeCli(numbers.map(answer));
  return Promise.resolve(subject(fake.transport, () => fake.close()));
});

transportSuite(
  "memoryTransport()",
  () => Promise.resolve(subject(memoryCli())),
);

transportSuite(
  "record()",
  () => Promise.resolve(subject(record(memoryCli(), () => {}))),
);

transportSuite(
  "record() of a process",
  async () => {
    const { transport, close } = await processCli();
    return subject(record(transport, () => {}), close);
  },
);

transportSuite("replay()", () => Promise.resolve(subject(replay(recording()))));
