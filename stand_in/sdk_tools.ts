// Made from protocol/ by `npm run generate`; edit that.
/**
 * The official SDK's entry `./sdk-tools`: types alone. Inputs have the published fields, outputs their lists; all
 * else is any.
 *
 * @module
 */
import type { Mutable } from "../src/compat/mod.ts";
import type { BuiltinToolInputs } from "../src/protocol/mod.ts";

/** An object of the CLI whose fields are not described here. */
// deno-lint-ignore no-explicit-any -- programs read fields of it by the official declarations
export type Undescribed = { [field: string]: any };

/** A value without a description. */
// deno-lint-ignore no-explicit-any -- as above
export type Anything = any;

/** The input of any tool. */
export type ToolInputSchemas =
  | AgentInput
  | ArtifactInput
  | AskUserQuestionInput
  | BashInput
  | ClaudeDesignInput
  | CronCreateInput
  | CronDeleteInput
  | CronListInput
  | EnterPlanModeInput
  | EnterWorktreeInput
  | ExitPlanModeInput
  | ExitWorktreeInput
  | FileEditInput
  | FileReadInput
  | FileWriteInput
  | GlobInput
  | GrepInput
  | ListMcpResourcesInput
  | McpInput
  | MonitorInput
  | NotebookEditInput
  | OfferChromeSetupInput
  | ProjectsInput
  | ProposeGoalInput
  | ProposeSkillsInput
  | PushNotificationInput
  | ReadMcpResourceDirInput
  | ReadMcpResourceInput
  | ReadNotificationsInput
  | RefreshMcpToolsInput
  | RemoteTriggerInput
  | ReportFindingsInput
  | ScheduleWakeupInput
  | SendFeedbackInput
  | ShowOnboardingRolePickerInput
  | TaskCreateInput
  | TaskGetInput
  | TaskListInput
  | TaskStopInput
  | TaskUpdateInput
  | TodoWriteInput
  | WebFetchInput
  | WebSearchInput
  | WorkflowInput;

/** The output of any tool. */
export type ToolOutputSchemas =
  | AgentOutput
  | ArtifactOutput
  | AskUserQuestionOutput
  | BashOutput
  | ClaudeDesignOutput
  | CronCreateOutput
  | CronDeleteOutput
  | CronListOutput
  | EnterPlanModeOutput
  | EnterWorktreeOutput
  | ExitPlanModeOutput
  | ExitWorktreeOutput
  | FileEditOutput
  | FileReadOutput
  | FileWriteOutput
  | GlobOutput
  | GrepOutput
  | ListMcpResourcesOutput
  | McpOutput
  | MonitorOutput
  | NotebookEditOutput
  | OfferChromeSetupOutput
  | ProjectsOutput
  | ProposeGoalOutput
  | ProposeSkillsOutput
  | PushNotificationOutput
  | ReadMcpResourceDirOutput
  | ReadMcpResourceOutput
  | ReadNotificationsOutput
  | RefreshMcpToolsOutput
  | RemoteTriggerOutput
  | ReportFindingsOutput
  | ScheduleWakeupOutput
  | SendFeedbackOutput
  | ShowOnboardingRolePickerOutput
  | TaskCreateOutput
  | TaskGetOutput
  | TaskListOutput
  | TaskStopOutput
  | TaskUpdateOutput
  | TodoWriteOutput
  | WebFetchOutput
  | WebSearchOutput
  | WorkflowOutput;

/** Input of the tool `Agent`. */
export type AgentInput = Mutable<BuiltinToolInputs["Agent"]>;

/** Input of the tool `Artifact`. */
export type ArtifactInput = Undescribed;

/** Input of the tool `AskUserQuestion`. */
export type AskUserQuestionInput = Mutable<
  BuiltinToolInputs["AskUserQuestion"]
>;

/** Input of the tool `Bash`. */
export type BashInput = Mutable<BuiltinToolInputs["Bash"]>;

/** Input of the tool `ClaudeDesign`. */
export type ClaudeDesignInput = Undescribed;

/** Input of the tool `CronCreate`. */
export type CronCreateInput = Mutable<BuiltinToolInputs["CronCreate"]>;

/** Input of the tool `CronDelete`. */
export type CronDeleteInput = Mutable<BuiltinToolInputs["CronDelete"]>;

/** Input of the tool `CronList`. */
export type CronListInput = Undescribed;

/** Input of the tool `EnterPlanMode`. */
export type EnterPlanModeInput = Undescribed;

/** Input of the tool `EnterWorktree`. */
export type EnterWorktreeInput = Mutable<BuiltinToolInputs["EnterWorktree"]>;

/** Input of the tool `ExitPlanMode`. */
export type ExitPlanModeInput = Mutable<BuiltinToolInputs["ExitPlanMode"]>;

/** Input of the tool `ExitWorktree`. */
export type ExitWorktreeInput = Mutable<BuiltinToolInputs["ExitWorktree"]>;

/** Input of the tool `Edit`. */
export type FileEditInput = Mutable<BuiltinToolInputs["Edit"]>;

/** Input of the tool `Read`. */
export type FileReadInput = Mutable<BuiltinToolInputs["Read"]>;

/** Input of the tool `Write`. */
export type FileWriteInput = Mutable<BuiltinToolInputs["Write"]>;

/** Input of the tool `Glob`. */
export type GlobInput = Mutable<BuiltinToolInputs["Glob"]>;

/** Input of the tool `Grep`. */
export type GrepInput = Mutable<BuiltinToolInputs["Grep"]>;

/** Input of the tool `ListMcpResourcesTool`. */
export type ListMcpResourcesInput = Mutable<
  BuiltinToolInputs["ListMcpResourcesTool"]
>;

/** Input of the tool `Mcp`. */
export type McpInput = Undescribed;

/** Input of the tool `Monitor`. */
export type MonitorInput = Mutable<BuiltinToolInputs["Monitor"]>;

/** Input of the tool `NotebookEdit`. */
export type NotebookEditInput = Mutable<BuiltinToolInputs["NotebookEdit"]>;

/** Input of the tool `OfferChromeSetup`. */
export type OfferChromeSetupInput = Undescribed;

/** Input of the tool `Projects`. */
export type ProjectsInput = Undescribed;

/** Input of the tool `ProposeGoal`. */
export type ProposeGoalInput = Undescribed;

/** Input of the tool `ProposeSkills`. */
export type ProposeSkillsInput = Undescribed;

/** Input of the tool `PushNotification`. */
export type PushNotificationInput = Undescribed;

/** Input of the tool `ReadMcpResourceDirTool`. */
export type ReadMcpResourceDirInput = Mutable<
  BuiltinToolInputs["ReadMcpResourceDirTool"]
>;

/** Input of the tool `ReadMcpResourceTool`. */
export type ReadMcpResourceInput = Mutable<
  BuiltinToolInputs["ReadMcpResourceTool"]
>;

/** Input of the tool `ReadNotifications`. */
export type ReadNotificationsInput = Undescribed;

/** Input of the tool `RefreshMcpTools`. */
export type RefreshMcpToolsInput = Undescribed;

/** Input of the tool `RemoteTrigger`. */
export type RemoteTriggerInput = Undescribed;

/** Input of the tool `ReportFindings`. */
export type ReportFindingsInput = Undescribed;

/** Input of the tool `ScheduleWakeup`. */
export type ScheduleWakeupInput = Mutable<BuiltinToolInputs["ScheduleWakeup"]>;

/** Input of the tool `SendFeedback`. */
export type SendFeedbackInput = Undescribed;

/** Input of the tool `ShowOnboardingRolePicker`. */
export type ShowOnboardingRolePickerInput = Undescribed;

/** Input of the tool `TaskCreate`. */
export type TaskCreateInput = Mutable<BuiltinToolInputs["TaskCreate"]>;

/** Input of the tool `TaskGet`. */
export type TaskGetInput = Mutable<BuiltinToolInputs["TaskGet"]>;

/** Input of the tool `TaskList`. */
export type TaskListInput = Undescribed;

/** Input of the tool `TaskStop`. */
export type TaskStopInput = Mutable<BuiltinToolInputs["TaskStop"]>;

/** Input of the tool `TaskUpdate`. */
export type TaskUpdateInput = Mutable<BuiltinToolInputs["TaskUpdate"]>;

/** Input of the tool `TodoWrite`. */
export type TodoWriteInput = Mutable<BuiltinToolInputs["TodoWrite"]>;

/** Input of the tool `WebFetch`. */
export type WebFetchInput = Mutable<BuiltinToolInputs["WebFetch"]>;

/** Input of the tool `WebSearch`. */
export type WebSearchInput = Mutable<BuiltinToolInputs["WebSearch"]>;

/** Input of the tool `Workflow`. */
export type WorkflowInput = Mutable<BuiltinToolInputs["Workflow"]>;

/** Output of the tool `Agent`. */
export type AgentOutput = Undescribed & {
  content: (Undescribed & { citations: Anything[] })[];
  modelsUsed: Anything[];
  toolsUsed: Anything[];
};

/** Output of the tool `Artifact`. */
export type ArtifactOutput = Undescribed & {
  warnings: Anything[];
  artifacts: Anything[];
  watch: Undescribed & { events: Anything[] };
  watches: (Undescribed & { events: Anything[] })[];
  arms: Anything[];
  asset_uploads: Undescribed & { results: Anything[] };
  asset_list: Undescribed & { assets: Anything[] };
};

/** Output of the tool `AskUserQuestion`. */
export type AskUserQuestionOutput = Undescribed & {
  questions: (Undescribed & { options: Anything[] })[];
};

/** Output of the tool `Bash`. */
export type BashOutput = Undescribed & { structuredContent: Anything[] };

/** Output of the tool `ClaudeDesign`. */
export type ClaudeDesignOutput = Undescribed & { content: Anything[] };

/** Output of the tool `CronCreate`. */
export type CronCreateOutput = Undescribed & { otherOneShots: Anything[] };

/** Output of the tool `CronDelete`. */
export type CronDeleteOutput = Undescribed;

/** Output of the tool `CronList`. */
export type CronListOutput = Undescribed & { jobs: Anything[] };

/** Output of the tool `EnterPlanMode`. */
export type EnterPlanModeOutput = Undescribed;

/** Output of the tool `EnterWorktree`. */
export type EnterWorktreeOutput = Undescribed;

/** Output of the tool `ExitPlanMode`. */
export type ExitPlanModeOutput = Undescribed;

/** Output of the tool `ExitWorktree`. */
export type ExitWorktreeOutput = Undescribed;

/** Output of the tool `Edit`. */
export type FileEditOutput = Undescribed & {
  structuredPatch: (Undescribed & { lines: Anything[] })[];
};

/** Output of the tool `Read`. */
export type FileReadOutput = Undescribed & {
  file: Undescribed & { cells: Anything[] };
  pages: Anything[];
};

/** Output of the tool `Write`. */
export type FileWriteOutput = Undescribed & {
  structuredPatch: (Undescribed & { lines: Anything[] })[];
};

/** Output of the tool `Glob`. */
export type GlobOutput = Undescribed & { filenames: Anything[] };

/** Output of the tool `Grep`. */
export type GrepOutput = Undescribed & { filenames: Anything[] };

/** Output of the tool `ListMcpResourcesTool`. */
export type ListMcpResourcesOutput = Anything[];

/** Output of the tool `Mcp`. */
export type McpOutput = Undescribed;

/** Output of the tool `Monitor`. */
export type MonitorOutput = Undescribed;

/** Output of the tool `NotebookEdit`. */
export type NotebookEditOutput = Undescribed;

/** Output of the tool `OfferChromeSetup`. */
export type OfferChromeSetupOutput = Undescribed;

/** Output of the tool `Projects`. */
export type ProjectsOutput = Undescribed & {
  docs: Anything[];
  files: Anything[];
  sync_sources: Anything[];
  hits: Anything[];
};

/** Output of the tool `ProposeGoal`. */
export type ProposeGoalOutput = Undescribed;

/** Output of the tool `ProposeSkills`. */
export type ProposeSkillsOutput = Undescribed;

/** Output of the tool `PushNotification`. */
export type PushNotificationOutput = Undescribed;

/** Output of the tool `ReadMcpResourceDirTool`. */
export type ReadMcpResourceDirOutput = Undescribed & { resources: Anything[] };

/** Output of the tool `ReadMcpResourceTool`. */
export type ReadMcpResourceOutput = Undescribed & { contents: Anything[] };

/** Output of the tool `ReadNotifications`. */
export type ReadNotificationsOutput = Undescribed & {
  notifications: Anything[];
};

/** Output of the tool `RefreshMcpTools`. */
export type RefreshMcpToolsOutput =
  (Undescribed & { added: Anything[]; removed: Anything[] })[];

/** Output of the tool `RemoteTrigger`. */
export type RemoteTriggerOutput = Undescribed;

/** Output of the tool `ReportFindings`. */
export type ReportFindingsOutput = Undescribed & { findings: Anything[] };

/** Output of the tool `ScheduleWakeup`. */
export type ScheduleWakeupOutput = Undescribed;

/** Output of the tool `SendFeedback`. */
export type SendFeedbackOutput = Undescribed;

/** Output of the tool `ShowOnboardingRolePicker`. */
export type ShowOnboardingRolePickerOutput = Undescribed;

/** Output of the tool `TaskCreate`. */
export type TaskCreateOutput = Undescribed;

/** Output of the tool `TaskGet`. */
export type TaskGetOutput = Undescribed & {
  task: Undescribed & { blocks: Anything[]; blockedBy: Anything[] };
};

/** Output of the tool `TaskList`. */
export type TaskListOutput = Undescribed & {
  tasks: (Undescribed & { blockedBy: Anything[] })[];
};

/** Output of the tool `TaskStop`. */
export type TaskStopOutput = Undescribed;

/** Output of the tool `TaskUpdate`. */
export type TaskUpdateOutput = Undescribed & { updatedFields: Anything[] };

/** Output of the tool `TodoWrite`. */
export type TodoWriteOutput = Undescribed & {
  oldTodos: Anything[];
  newTodos: Anything[];
};

/** Output of the tool `WebFetch`. */
export type WebFetchOutput = Undescribed;

/** Output of the tool `WebSearch`. */
export type WebSearchOutput = Undescribed & {
  results: (Undescribed & { content: Anything[] })[];
};

/** Output of the tool `Workflow`. */
export type WorkflowOutput = Undescribed;
