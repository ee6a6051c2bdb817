import type { Model, Program, Sdk, SDKMessage } from "../_program.ts";

export const model: Model = [
  { text: "This takes very long", chunks: 4, hang: true },
  { text: "Again, and to its end", chunks: 4 },
];

type Running = ReturnType<Sdk["query"]>;

/** A window of a desktop program: one query at a time, a button that interrupts it, the session taken up by the next. */
const program: Program = async ({ query }, { options, print }) => {
  let current: Running | null = null;
  let sessionId: string | undefined;
  let interrupted: Promise<unknown> | undefined;
  const send = async (
    prompt: string,
    onMessage: (message: SDKMessage) => void,
  ) => {
    current = query({
      prompt,
      options: {
        ...options,
        includePartialMessages: true,
        ...sessionId ? { resume: sessionId } : {},
      },
    });
    try {
      for await (const message of current) {
        if (message.type === "system" && message.subtype === "init") {
          print(
            "same session",
            sessionId === undefined ||
              sessionId === message.session_id,
          );
          sessionId = message.session_id;
        }
        onMessage(message);
      }
    } catch (error) {
      print("error", String(error));
    } finally {
      current = null;
      print("done");
    }
  };
  let seen = "";
  await send("Go", (message) => {
    if (message.type === "stream_event") {
      const { event } = message;
      if (
        event.type === "content_block_delta" &&
        event.delta.type === "text_delta"
      ) {
        seen += event.delta.text;
        if (seen.includes("very")) {
          seen = "";
          interrupted = current?.interrupt();
        }
      }
    } else if (message.type === "result") {
      print(message.subtype, message.is_error, message.num_turns);
    } else print(message.type, "subtype" in message ? message.subtype : "");
  });
  // It may be answered before or behind the messages that it brings.
  const answer = await interrupted as object | undefined;
  print("interrupt", answer === undefined || "still_queued" in answer);
  await send("Again", (message) => {
    if (message.type === "result" && message.subtype === "success") {
      print(message.result, Object.keys(message.modelUsage).length);
    }
  });
};

export default program;
