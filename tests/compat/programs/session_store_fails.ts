import type { Model, Program, SessionStore } from "../_program.ts";

export const model: Model = ["An answer"];

const program: Program = async ({ query }, place) => {
  const { print } = place;
  const env = {
    ...place.options.env,
    CLAUDE_CONFIG_DIR: `${place.options.env["HOME"]}/.claude`,
  };
  const options = { ...place.options, env };

  const sessionStore: SessionStore = {
    append: () => Promise.reject(new Error("disk full")),
    load: () => Promise.resolve(null),
  };
  for await (
    const message of query({
      prompt: "A question",
      options: { ...options, sessionStore },
    })
  ) {
    if (message.type === "system" && message.subtype === "mirror_error") {
      print(message.subtype, message.error);
    }
    if (message.type === "result") print(message.subtype);
  }
  for (
    const more of [
      { persistSession: false },
      { enableFileCheckpointing: true },
      { continue: true },
    ]
  ) {
    try {
      query({
        prompt: "A question",
        options: { ...options, sessionStore, ...more },
      });
      print("taken");
    } catch (error) {
      print((error as Error).message.slice(0, 48));
    }
  }
};

export default program;
