import process from "node:process";
import type { Model, Program } from "../_program.ts";

export const model: Model = ["One", "Two", "Two of the fork", "Three"];

/** A session is forked by an option and by a function; the titles and the messages of each are read. */
const program: Program = async (sdk, place) => {
  const { query, forkSession, getSessionMessages, listSessions } = sdk;
  const { options, print } = place;
  process.env.HOME = options.env.HOME;
  delete process.env.CLAUDE_CONFIG_DIR;
  const ask = async (prompt: string, more: object = {}) => {
    let id = "";
    for await (
      const message of query({ prompt, options: { ...options, ...more } })
    ) {
      if (message.type === "system" && message.subtype === "init") {
        id = message.session_id;
      }
      if (message.type === "result" && message.subtype === "success") {
        print(prompt, "->", message.result, message.session_id === id);
      }
    }
    return id;
  };
  const first = await ask("Count");
  const forked = await ask("Go on", { resume: first, forkSession: true });
  print("another id", forked !== first);
  const { sessionId: copy } = await forkSession(first, {
    dir: options.cwd,
    title: "The copy",
  });
  const resumed = await ask("Go on", { resume: copy });
  print("the copy itself", resumed === copy);
  const named = await ask("Again", {
    resume: copy,
    forkSession: true,
    sessionId: "11111111-2222-4333-8444-555555555555",
  });
  print("named", named);
  for (const id of [first, forked, copy]) {
    const messages = await getSessionMessages(id, { dir: options.cwd });
    print(messages.map(({ type }) => type).join());
  }
  const sessions = await listSessions({ dir: options.cwd });
  print(sessions.map(({ customTitle }) => customTitle ?? "-").sort());
  try {
    await forkSession(first, { dir: options.cwd, upToMessageId: "none" });
  } catch (error) {
    print((error as Error).message);
  }
};

export default program;
