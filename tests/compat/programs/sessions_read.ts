import type { Model, Program } from "../_program.ts";
import process from "node:process";

export const model: Model = ["First answer", "Second answer"];

const program: Program = async (
  {
    query,
    listSessions,
    getSessionInfo,
    getSessionMessages,
    getSubagentMessages,
    listSubagents,
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
      prompt: "First question",
      options: { ...options, env },
    })
  ) if (message.type === "result") id = message.session_id;
  for await (
    const message of query({
      prompt: "Second question",
      options: { ...options, env, resume: id },
    })
  ) if (message.type === "result") print(message.session_id === id);
  const all = await listSessions({ dir: options.cwd });
  print(
    all.map((
      { sessionId, summary, firstPrompt, customTitle, cwd, tag, archived },
    ) => [
      sessionId === id,
      summary,
      firstPrompt,
      customTitle,
      cwd,
      tag,
      archived,
    ]),
  );
  print(
    (await listSessions()).length,
    (await listSessions({ dir: "/nowhere" })).length,
  );
  const info = await getSessionInfo(id);
  print(info && Object.keys(info).sort());
  const messages = await getSessionMessages(id);
  print(
    messages.map((
      { type, session_id, message, parent_tool_use_id, parent_agent_id },
    ) => [
      type,
      session_id === id,
      (message as { content: unknown }).content,
      parent_tool_use_id,
      parent_agent_id,
    ]),
  );
  print(
    (await getSessionMessages(id, { limit: 1, offset: 1 })).map(({ type }) =>
      type
    ),
  );
  print(
    await listSubagents(id),
    await getSubagentMessages(id, "none"),
    await getSessionInfo("7d1b5b2e-8f0c-4d52-9a55-0f6d3f1f4b99"),
    await getSessionMessages("no id"),
  );
};

export default program;
