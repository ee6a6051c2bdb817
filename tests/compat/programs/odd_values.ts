import type { Model, Program } from "../_program.ts";

export const model: Model = [];

/** Options as programs without types write them. */
const ODD: readonly object[] = [
  { projectConfigRoot: "" },
  { projectConfigRoot: false },
  { plugins: [{ type: "local", path: "" }] },
  { plugins: [{ type: "local" }] },
  { maxBudgetUsd: "" },
  { maxBudgetUsd: 0 },
  { maxTurns: 0 },
  { taskBudget: {} },
  { taskBudget: false },
  { maxThinkingTokens: "" },
  { thinking: false, maxThinkingTokens: 5 },
  { resumeDropsTurn: "" },
  { permissionMode: true },
  { permissionMode: 0 },
  { permissionPromptToolName: [] },
  { canUseTool: false },
  { model: [] },
  { allowedTools: false, disallowedTools: "", betas: 0 },
  { allowedTools: [""], disallowedTools: [null] },
  { allowedTools: "Read" },
  { settingSources: "" },
  { settingSources: [] },
  { tools: false },
  { strictMcpConfig: "yes", persistSession: 0 },
  { managedSettings: "", sandbox: false },
  { outputFormat: { type: "json_schema", schema: null } },
  { sessionStore: false },
  { hooks: { Stop: [{ hooks: [], timeout: 5n }] } },
];

const written = (_: string, value: unknown) =>
  typeof value === "bigint" ? `${value}n` : value;

const program: Program = async ({ query }, place) => {
  const { options, print } = place;

  const added = async (odd: object) => {
    let args: readonly string[] | undefined;
    try {
      const run = query({
        prompt: "Go",
        options: {
          ...options,
          ...odd,
          spawnClaudeCodeProcess(launch) {
            ({ args } = launch);
            throw new Error("Seen enough");
          },
        },
      });
      await run.next();
    } catch {
      // It was refused, or seen.
    }
    return args;
  };
  const bare = await added({}) ?? [];
  for (const odd of ODD) {
    const args = await added(odd);
    const own = args?.filter((one) => !bare.includes(one));
    print(JSON.stringify(odd, written), own?.join(" ") ?? "refused");
  }
};

export default program;
