import type { Model, Program, SessionKey } from "../_program.ts";

export const model: Model = [];

const ID = "11111111-1111-4111-8111-111111111111";
const BROKEN = "22222222-2222-4222-8222-222222222222";
const MISSING = "33333333-3333-4333-8333-333333333333";

const line = (fields: object) => ({
  type: "user",
  uuid: "aaaaaaaa-1111-4111-8111-000000000001",
  parentUuid: null,
  sessionId: ID,
  isSidechain: false,
  timestamp: "2026-01-01T00:00:00.000Z",
  message: { role: "user", content: "Hi" },
  ...fields,
});

const program: Program = async (sdk, { options, print }) => {
  const shown = async (name: string, value: Promise<unknown>) => {
    const text = await value.then(
      (one) => JSON.stringify(one) ?? "undefined",
      (error) => String(error.message).split(/:| --| in project/)[0],
    );
    print(name, text);
  };
  const lines = new Map<string, object[]>([
    [ID, [line({})]],
    ["subagents/agent-a1", [line({ isSidechain: true, agentId: "a1" })]],
  ]);
  // As a store over a `Map` is, without the optional methods.
  const least = {
    append: () => Promise.resolve(),
    load({ sessionId, subpath }: SessionKey) {
      if (sessionId === BROKEN) return Promise.reject(new Error("bad row"));
      return Promise.resolve(lines.get(subpath ?? sessionId));
    },
  };
  const listing = {
    ...least,
    listSessions: () =>
      Promise.resolve([
        { sessionId: ID, mtime: 9 },
        { sessionId: BROKEN, mtime: 5 },
        { sessionId: MISSING, mtime: 4 },
      ]),
  };
  const dir = options.cwd;
  const inStore = { dir, sessionStore: least as never };
  const texts = (all: readonly { readonly message: unknown }[]) =>
    all.map(({ message }) => message);

  for (const id of ["a1", "a2", ""]) {
    const messages = sdk.getSubagentMessages(ID, id, inStore);
    await shown(`subagent ${id}`, messages.then(texts));
  }
  await shown("subagents", sdk.listSubagents(ID, inStore));
  for (const id of [ID, MISSING, BROKEN]) {
    await shown("messages", sdk.getSessionMessages(id, inStore).then(texts));
    const info = sdk.getSessionInfo(id, inStore);
    await shown("info", info.then((one) => one?.summary));
  }
  await shown("fork", sdk.forkSession(MISSING, inStore));
  const list = sdk.listSessions({ dir, sessionStore: listing as never });
  await shown(
    "sessions",
    list.then((all) =>
      all.map(({ sessionId, summary, lastModified }) => [
        sessionId === ID,
        summary,
        lastModified,
      ])
    ),
  );
};

export default program;
