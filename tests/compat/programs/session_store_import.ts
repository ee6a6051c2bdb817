import type { Model, Program } from "../_program.ts";
import process from "node:process";

export const model: Model = ["An answer"];

const program: Program = async (
  {
    query,
    InMemorySessionStore,
    getSessionMessages,
    importSessionToStore,
    listSessions,
  },
  place,
) => {
  const { options, print } = place;

  process.env["CLAUDE_CONFIG_DIR"] = `${options.env["HOME"]}/.claude`;
  const env = {
    ...options.env,
    CLAUDE_CONFIG_DIR: `${options.env["HOME"]}/.claude`,
  };
  let id = "";
  for await (
    const message of query({
      prompt: "A question",
      options: { ...options, env },
    })
  ) if (message.type === "result") id = message.session_id;
  const store = new InMemorySessionStore();
  await importSessionToStore(id, store, { dir: options.cwd, batchSize: 3 });
  const [one] = await listSessions({ dir: options.cwd, sessionStore: store });
  print(one?.sessionId === id, one?.summary);
  print(
    (await getSessionMessages(id, { dir: options.cwd, sessionStore: store }))
      .map(({ type }) => type),
  );
};

export default program;
