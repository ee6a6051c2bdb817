import type { Model, Program } from "../_program.ts";

export const model: Model = ["An answer", {
  tool: "Bash",
  input: { command: "echo hi", description: "say" },
}, "Another"];

const program: Program = async (
  {
    query,
    InMemorySessionStore,
    deleteSession,
    forkSession,
    getSessionInfo,
    getSessionMessages,
    listSessions,
    renameSession,
  },
  place,
) => {
  const { print } = place;
  const env = {
    ...place.options.env,
    CLAUDE_CONFIG_DIR: `${place.options.env["HOME"]}/.claude`,
  };
  const options = { ...place.options, env };

  const sessionStore = new InMemorySessionStore();
  let id = "";
  for await (
    const message of query({
      prompt: "A question",
      options: { ...options, sessionStore },
    })
  ) if (message.type === "result") id = message.session_id;
  print(sessionStore.size);
  const infos = await listSessions({ dir: options.cwd, sessionStore });
  print(
    infos.map((
      { sessionId, summary, firstPrompt },
    ) => [sessionId === id, summary, firstPrompt]),
  );
  print(
    (await getSessionMessages(id, { dir: options.cwd, sessionStore })).map((
      { type, message },
    ) => [type, (message as { content: unknown }).content]),
  );
  await renameSession(id, "Stored", { dir: options.cwd, sessionStore });
  print(
    (await getSessionInfo(id, { dir: options.cwd, sessionStore }))?.customTitle,
  );
  for await (
    const message of query({
      prompt: "Go on",
      options: {
        ...options,
        sessionStore,
        resume: id,
        sessionStoreFlush: "eager",
        allowedTools: ["Bash"],
      },
    })
  ) {
    if (message.type === "result") {
      print(message.subtype, message.session_id === id);
    }
  }
  print(
    (await getSessionMessages(id, { dir: options.cwd, sessionStore })).map((
      { type },
    ) => type),
  );
  const copy = await forkSession(id, { dir: options.cwd, sessionStore });
  print(sessionStore.size, copy.sessionId !== id);
  await deleteSession(id, { dir: options.cwd, sessionStore });
  print(sessionStore.size);
};

export default program;
