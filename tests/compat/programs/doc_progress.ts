import type { Model, Program, SDKMessage } from "../_program.ts";

export const model: Model = [
  {
    thinking: "Hm",
    text: "Let me look. ",
    tool: "Bash",
    input: {
      command: "echo found",
      description: "look",
    },
  },
  { text: "Found it in the end", chunks: 4 },
  { text: "This one takes long", chunks: 3, hang: true },
];

/** A page that shows text as it comes: tool calls by name, their input as it is written, and a button that stops. */
const program: Program = async ({ query }, place) => {
  const { options, print } = place;
  const controller = new AbortController();
  let text = "";
  let input = "";
  let turns = 0;
  const prompts = async function* () {
    for (const content of ["Look", "Look once more"]) {
      while (turns < Number(content !== "Look")) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      yield {
        type: "user" as const,
        message: { role: "user" as const, content },
        parent_tool_use_id: null,
        session_id: "",
      };
    }
    // Until the button.
    await new Promise((resolve) =>
      controller.signal.addEventListener("abort", resolve)
    );
  };
  const show = (message: SDKMessage) => {
    if (message.type === "stream_event") {
      const { event } = message;
      if (event.type === "content_block_start") {
        if (event.content_block.type === "tool_use") {
          print("calls", event.content_block.name);
        }
      } else if (event.type === "content_block_delta") {
        if (event.delta.type === "text_delta") text += event.delta.text;
        if (event.delta.type === "input_json_delta") {
          input += event.delta.partial_json;
        }
      } else if (event.type === "message_stop") {
        print("message", text, input);
        text = input = "";
      }
    } else if (message.type === "result") {
      turns++;
      print("result", message.subtype, message.is_error);
    }
    if (text.includes("This one")) controller.abort();
  };
  const run = query({
    prompt: prompts(),
    options: {
      ...options,
      abortController: controller,
      includePartialMessages: true,
      allowedTools: ["Bash"],
    },
  });
  try {
    for await (const message of run) show(message);
    print("ended");
  } catch (error) {
    const { name, message } = error as Error;
    // The official SDK says this or that it was aborted by the user, by what it heard of first.
    print(name, /^(Operation|Claude Code process) aborted/.test(message));
  }
  print(await run.next());
};

export default program;
