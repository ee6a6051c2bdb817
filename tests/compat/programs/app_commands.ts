import type { Model, Program, SDKUserMessage } from "../_program.ts";

export const model: Model = [];

/** What a picker in an editor asks: a session without a prompt, only to hear what there is, then away with it. */
const program: Program = async ({ query, AbortError }, place) => {
  const { options, print } = place;
  const abortController = new AbortController();
  // deno-lint-ignore require-yield -- it says nothing before it is told to stop
  async function* silent(): AsyncGenerator<SDKUserMessage> {
    await new Promise<void>((resolve) =>
      abortController.signal.addEventListener("abort", () => resolve())
    );
  }
  const q = query({
    prompt: silent(),
    options: {
      ...options,
      abortController,
      permissionMode: "acceptEdits",
      settingSources: ["user", "project", "local"],
    },
  });
  const drained = (async () => {
    try {
      for await (const _ of q) void _;
      return "ended";
    } catch (error) {
      return error instanceof AbortError;
    }
  })();
  const timer = setTimeout(() => abortController.abort(), 60_000);
  const [commands, models, info] = await Promise.all([
    q.supportedCommands(),
    q.supportedModels(),
    q.initializationResult(),
  ]);
  print(commands.length > 0, Object.keys(commands[0] ?? {}).sort());
  print(models.map(({ value }) => value));
  print(Object.keys(info).filter((key) => key !== "pid").sort());
  print((await q.supportedAgents()).map(({ name }) => name));
  await q.setModel("claude-opus-4-5");
  await q.setPermissionMode("plan");
  print(await q.mcpServerStatus());
  clearTimeout(timer);
  abortController.abort();
  print(await drained);
  for (const call of [() => q.supportedCommands(), () => q.interrupt()]) {
    print(
      await call().then(
        (value) => typeof value,
        (error: Error) => `${error instanceof AbortError} ${error.message}`,
      ),
    );
  }
};

export default program;
