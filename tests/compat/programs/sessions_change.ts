import type { Model, Program } from "../_program.ts";
import process from "node:process";

export const model: Model = ["An answer", "Another"];

const program: Program = async (
  {
    query,
    archiveSession,
    deleteSession,
    forkSession,
    getSessionInfo,
    getSessionMessages,
    renameSession,
    tagSession,
    unarchiveSession,
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
  await renameSession(id, "  Letters ");
  await tagSession(id, "later");
  const told = async (one = id) => {
    const info = await getSessionInfo(one, { dir: options.cwd });
    print(info?.summary, info?.customTitle, info?.tag, info?.archived);
  };
  await told();
  await tagSession(id, null);
  await archiveSession(id);
  await told();
  await unarchiveSession(id);
  await told();
  const fork = await forkSession(id, { title: "A copy" });
  await told(fork.sessionId);
  await told((await forkSession(id)).sessionId);
  print(
    (await getSessionMessages(fork.sessionId)).map((
      { type, session_id },
    ) => [type, session_id === fork.sessionId]),
  );
  for await (
    const message of query({
      prompt: "Go on",
      options: { ...options, env, resume: fork.sessionId },
    })
  ) {
    if (message.type === "result") {
      print(message.subtype, message.session_id === fork.sessionId);
    }
  }
  await deleteSession(id);
  await told();
  for (
    const call of [
      () => deleteSession(id),
      () => renameSession(id, "x"),
      () => renameSession("odd", "x"),
      () => renameSession(id, " "),
      () => tagSession(id, " "),
      () => forkSession(id),
      () => deleteSession(id, { dir: options.cwd }),
    ]
  ) {
    try {
      await call();
      print("done");
    } catch (error) {
      print((error as Error).message);
    }
  }
};

export default program;
